// SPDX-License-Identifier: Apache-2.0
//
// English: printing labels.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const labels = {
    print: {
        sample: (n: number) => `Print labels of ${count(n, 'sample')}`,
        'reagent-lot': (n: number) => `Print labels of ${count(n, 'lot')}`,
        'media-lot': (n: number) => `Print labels of ${count(n, 'lot')}`,
        'storage-location': (n: number) => `Print labels of ${count(n, 'storage place')}`,
    },
    what: 'A scan of the label opens the record. The size and the printer are remembered in this'
        + ' browser.',
    each: 'One label for',
    eachOf: { sample: 'each sample', container: 'each container that was received' },
    format: 'Printer',
    formats: { pdf: 'any printer (PDF)', zpl: 'label printer (ZPL)' },
    formatWhat: 'A label printer has letters of its own: usually Latin, rarely Chinese or Arabic ones.'
        + ' A PDF has all.',
    size: 'Size',
    sizeNone: 'There is no label size that is active: see Reference data.',
    skip: 'Labels of the sheet that are used already',
    tooMany: (most: number) => `Labels of at most ${most} records are printed at once: select fewer.`,
    saved: 'The labels are saved as a file for the label printer.',
};

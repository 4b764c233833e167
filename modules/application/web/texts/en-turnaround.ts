// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of turnaround.
export const turnaround = {
    title: 'Turnaround',
    from: 'Reported from',
    to: 'to',
    what: (from: string, to: string) => `Samples reported from ${from} to ${to}. A test counts from`
        + ' the receipt of its sample to its verification, a sample from receipt to report.',
    method: 'By method',
    client: 'By client',
    none: 'No sample was reported in this period.',
    noneWhat: 'Choose other days above.',
    noMethod: 'without a method',
    columns: {
        method: 'Method', client: 'Client', samples: 'Samples', tests: 'Tests', median: 'Median',
        p90: '90 % within', due: 'Done by the due date',
    },
    hours: (hours: number | null) => hours === null ? '' : `${hours} h`,
    inTime: (percent: number | null, done: number, of: number) => percent === null
        ? 'none has a due date' : `${percent} %, ${done} of ${of}`,
};

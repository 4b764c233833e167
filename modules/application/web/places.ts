// SPDX-License-Identifier: Apache-2.0
//
// The page of a record, by the noun under which it was found or by its table; undefined:
// it has none.
import { paths } from './paths.ts';

const pages: Record<string, (id: number) => string> = {
    sample: (id) => paths.sample(id),
    'reagent-lot': (id) => paths.lot('reagent', id),
    'media-lot': (id) => paths.lot('media', id),
    approval: (id) => paths.approval(id),
    certificate: (id) => paths.certificate(id),
    order: (id) => paths.order(id),
    'sample-order': (id) => paths.order(id),
    'qc-batch': (id) => paths.qcBatch(id),
    'qc-series': (id) => paths.qcSeries(id),
    'instrument-file': (id) => paths.instrumentFile(id),
    investigation: (id) => paths.investigation(id),
};

export const pageOf = (noun: string, id: number): string | undefined =>
    pages[noun.replaceAll('_', '-')]?.(id);

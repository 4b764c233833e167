// SPDX-License-Identifier: Apache-2.0
//
// The page of a record, by the noun under which it was found or by its table; undefined:
// it has none.
import type { Blocker } from './api/problem.ts';
import { paths } from './paths.ts';

const referenceNouns = ['client', 'project', 'material-type', 'test-definition', 'panel',
    'storage-location', 'instrument'];

const pages: Record<string, (id: number) => string> = {
    ...Object.fromEntries(referenceNouns.map((noun) =>
        [noun, (id: number) => paths.reference(`${noun}s`, id)])),
    user: (id) => paths.users(id),
    key: (id) => paths.keys(id),
    webhook: (id) => paths.webhooks(id),
    sample: (id) => paths.sample(id),
    'sample-test': (id) => paths.sampleTest(id),
    worksheet: (id) => paths.worksheet(id),
    confirmation: (id) => paths.confirmation(id),
    'reagent-lot': (id) => paths.lot('reagent', id),
    'media-lot': (id) => paths.lot('media', id),
    approval: (id) => paths.approval(id),
    certificate: (id) => paths.certificate(id),
    order: (id) => paths.order(id),
    'sample-order': (id) => paths.order(id),
    'qc-batch': (id) => paths.qcBatch(id),
    'qc-series': (id) => paths.qcSeries(id),
    'instrument-file': (id) => paths.instrumentFile(id),
    profile: (id) => paths.profile(id),
    'instrument-profile': (id) => paths.profile(id),
    investigation: (id) => paths.investigation(id),
};

export const pageOf = (noun: string, id: number): string | undefined =>
    pages[noun.replaceAll('_', '-')]?.(id);

// Kinds of records that clear a blocker. If it names several of a kind, each has a number.
export type WayOut = 'test' | 'qcBatch' | 'qcBatches' | 'mediaLot' | 'reagentLot' | 'worksheet'
    | 'approval' | 'investigation' | 'confirmation';

export interface Way {
    noun: WayOut;
    no: number | undefined;
    href: string;
}

function waysTo(noun: WayOut, page: string, ids: number[] = []): Way[] {
    return ids.flatMap((id, i) => {
        const href = pageOf(page, id);
        return href ? [{ noun, no: ids.length > 1 ? i + 1 : undefined, href }] : [];
    });
}

// Quality control that no batch does yet: one that is there may take the test, or one is made.
const waysToBatches = ({ slug, qcBatchIds = [] }: Partial<Blocker>): Way[] =>
    slug === 'qc_pending' && qcBatchIds.length === 0
        ? [{ noun: 'qcBatches', no: undefined, href: paths.qcBatches() }] : [];

// The nearest first: a test is named by most of them, and said only where nothing else is.
export function waysOut(blocker: Partial<Blocker>): Way[] {
    const near = [
        ...waysTo('qcBatch', 'qc-batch', blocker.qcBatchIds),
        ...waysToBatches(blocker),
        ...waysTo('mediaLot', 'media-lot', blocker.mediaLotIds),
        ...waysTo('reagentLot', 'reagent-lot', blocker.reagentLotIds),
        ...waysTo('worksheet', 'worksheet', blocker.worksheetIds),
        ...waysTo('approval', 'approval', blocker.approvalIds),
        ...waysTo('investigation', 'investigation', blocker.investigationIds),
    ];
    // A confirmation is that of its test.
    const [noun, page] = blocker.slug === 'confirmation_required'
        ? ['confirmation', 'confirmation'] as const : ['test', 'sample-test'] as const;
    return near.length ? near : waysTo(noun, page, blocker.testIds);
}

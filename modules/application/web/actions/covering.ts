// SPDX-License-Identifier: Apache-2.0
//
// The tests that a QC batch covers, and those that it may cover.
import { answer, api } from '../api/client.ts';
import type { Definition } from '../api/names.ts';
import { AT_ONCE, type From, all } from '../api/pages.ts';
import type { Read } from '../api/read.ts';
import { valueOf } from '../texts/value.ts';

type QcBatch = Read<'/qc-batches/{id}'>;
export type CoveredTest = Read<'/sample-tests'>['data'][number];

const ask = (query: { qcBatchId?: number; testDefinitionId?: number; status?: ['entered'] }) =>
    all<CoveredTest>((from: From) => answer(api.GET('/sample-tests', {
        params: { query: { ...query, include: 'sample', limit: AT_ONCE, ...from } } })));

export const testsCoveredBy = ({ id }: Pick<QcBatch, 'id'>): Promise<CoveredTest[]> =>
    ask({ qcBatchId: id });

// An override holds for the results that it was signed for.
export const holds = ({ qcStatus, overriddenTestIds }: QcBatch, { id }: CoveredTest): boolean =>
    qcStatus === 'failed' || (qcStatus === 'overridden' && !overriddenTestIds.includes(id));

// The results that an overridden batch holds nevertheless: entered or changed since.
export const laterResults = (batch: QcBatch, tests: CoveredTest[]): CoveredTest[] =>
    batch.qcStatus !== 'overridden' ? [] : tests.filter((test) =>
        test.result !== null && test.disposition === 'active' && holds(batch, test));

// Tests of a method that have a result and wait to be verified; of no method, all that do.
async function entered(method: string | null): Promise<CoveredTest[]> {
    const status: ['entered'] = ['entered'];
    if (method === null) {
        return ask({ status });
    }
    const definitions = await all<Definition>((from) => answer(api.GET('/test-definitions', {
        params: { query: { limit: AT_ONCE, ...from } } })));
    const found = await Promise.all(definitions.filter((one) => one.method === method)
        .map(({ id }) => ask({ testDefinitionId: id, status })));
    return found.flat();
}

export interface Coverable {
    id: number;
    trackingId: string;
    testCode: string;
    result: string | null;
}

// The tests that a batch may come to cover, the most urgent first: open ones, and behind them those
// that have a result already, which may have been entered before there was a batch.
export async function coverable(batch: QcBatch): Promise<Coverable[]> {
    const { method, sampleTestIds } = batch;
    const [open, done] = await Promise.all([
        all<Read<'/worklist'>['data'][number]>((from) => answer(api.GET('/worklist', {
            params: { query: { ...(method ? { method } : {}), limit: AT_ONCE, ...from } } }))),
        entered(method),
    ]);
    const found = new Map<number, Coverable>();
    open.forEach(({ id, trackingId, testCode }) =>
        found.set(id, { id, trackingId, testCode, result: null }));
    done.filter(({ id, sample }) => sample?.receivedAt && !found.has(id))
        .forEach((test) => found.set(test.id, { id: test.id, testCode: test.testCode,
            trackingId: test.sample?.trackingId ?? '', result: valueOf(test) }));
    return [...found.values()].filter(({ id }) => !sampleTestIds.includes(id));
}

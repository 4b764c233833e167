// SPDX-License-Identifier: Apache-2.0
//
// Repeating a run whose controls failed: a new batch with the same controls. What was measured
// under the failed one stays there, and is measured again as a retest; what was not yet
// measured goes over.
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { makeBatch } from './make-batch.ts';
import { type CoveredTest, type OpenBatch, type QcBatch, nameOf } from './qc-batches.ts';

const texts = t.batches;

// Removes them from the failed batch once the new one covers them: a withdrawn result has to be
// covered by another before.
async function remove(batch: QcBatch, ids: number[], reason: string): Promise<void> {
    if (ids.length > 0) {
        await answer(api.POST('/qc-batches/{id}/uncover', {
            params: { path: { id: batch.id } }, body: { sampleTestIds: ids, reason } }));
    }
}

// Makes the retests, and says which were refused and why.
async function retestAll(measured: CoveredTest[], reason: string, refused: string[]):
Promise<number[]> {
    const made: number[] = [];
    for (const test of measured) {
        try {
            const { tests } = await answer(api.POST('/sample-tests/{id}/retest', {
                params: { path: { id: test.id } }, body: { reason } }));
            made.push(...tests.map(({ id }) => id));
        } catch (error) {
            refused.push(`${nameOf(test)}: ${t.sentence(asProblem(error))}`);
        }
    }
    return made;
}

async function repeat(batch: QcBatch, open: CoveredTest[], reason: string): Promise<void> {
    const refused: string[] = [];
    const waiting = open.filter(({ status }) => status === 'pending').map(({ id }) => id);
    const sampleTestIds = [
        ...waiting,
        ...await retestAll(open.filter(({ status }) => status === 'entered'), reason, refused),
    ];
    const { qcTemplateId, method, instrumentId } = batch;
    const { id, batchNumber } = await makeBatch({
        ...(qcTemplateId === null ? {} : { qcTemplateId }),
        ...(method === null || qcTemplateId !== null ? {} : { method }),
        ...(instrumentId === null ? {} : { instrumentId }),
        ...(sampleTestIds.length ? { sampleTestIds } : {}),
    });
    await remove(batch, waiting, reason);
    say({ tone: refused.length ? 'attention' : 'ready',
        text: texts.repeated(batch.batchNumber, batchNumber), details: refused });
    navigate(sampleTestIds.length ? paths.bench('batch', String(id)) : paths.qcBatch(id));
}

export function askToRepeat({ batch, tests }: OpenBatch): void {
    const open = tests.filter(({ status, disposition }) =>
        status !== 'verified' && disposition === 'active');
    ask({
        kind: 'reason',
        title: texts.repeat,
        note: batch.batchNumber,
        explanation: texts.repeatWhat,
        lines: open.map(nameOf),
        reason: 'must',
        perform: ({ reason = '' }) => repeat(batch, open, reason),
    });
}

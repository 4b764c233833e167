// SPDX-License-Identifier: Apache-2.0
//
// Repeating a run whose controls failed: a new batch with the same controls. What was measured
// under the failed one stays there, and is measured again as a retest; what was not yet
// measured goes over.
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { ownerOf } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { type CoveredTest, holds, testsCoveredBy } from './covering.ts';
import { type Numbered, makeBatch } from './make-batch.ts';
import { type OpenBatch, type QcBatch, nameOf } from './qc-batches.ts';

const texts = t.batches;

// A repetition that has been begun. Its requests are several: where one is lost, the next try goes
// on behind what was done, and sends the lost one as it was, so that nothing is done twice.
interface Begun {
    open: CoveredTest[];
    // The reason of all its requests: that of the first try.
    reason: string;
    // The retests of each measured test; none where it was refused.
    retests: Map<number, number[]>;
    refused: string[];
    numbered: Numbered;
    made?: QcBatch;
}

const begun = new Map<string, Begun>();

// Does one step, or says why it was refused; a lost answer ends the try.
async function orRefused<T>(run: Begun, name: string, step: () => Promise<T>): Promise<T | null> {
    try {
        return await step();
    } catch (error) {
        const problem = asProblem(error);
        if (problem.passing) {
            throw problem;
        }
        run.refused.push(`${name}: ${t.sentence(problem)}`);
        return null;
    }
}

async function retestAll(run: Begun): Promise<void> {
    const { open, reason, retests } = run;
    for (const test of open.filter(({ id, status }) => status === 'entered' && !retests.has(id))) {
        const made = await orRefused(run, nameOf(test), () =>
            answer(api.POST('/sample-tests/{id}/retest', {
                params: { path: { id: test.id } }, body: { reason } })));
        retests.set(test.id, made?.tests.map(({ id }) => id) ?? []);
    }
}

function madeOf(
    { qcTemplateId, method, instrumentId }: QcBatch, sampleTestIds: number[], numbered: Numbered,
): Promise<QcBatch> {
    return makeBatch({
        ...(qcTemplateId === null ? {} : { qcTemplateId }),
        ...(method === null || qcTemplateId !== null ? {} : { method }),
        ...(instrumentId === null ? {} : { instrumentId }),
        ...(sampleTestIds.length ? { sampleTestIds } : {}),
    }, numbered);
}

// Removes tests from the failed batch once the new one covers them: a withdrawn result has to be
// covered by another before.
async function remove(batch: QcBatch, ids: number[], run: Begun): Promise<void> {
    if (ids.length > 0) {
        await orRefused(run, batch.batchNumber, () => answer(api.POST('/qc-batches/{id}/uncover', {
            params: { path: { id: batch.id } },
            body: { sampleTestIds: ids, reason: run.reason } })));
    }
}

async function repeat(batch: QcBatch, run: Begun): Promise<void> {
    const waiting = run.open.filter(({ status }) => status === 'pending').map(({ id }) => id);
    await retestAll(run);
    const sampleTestIds = [...waiting, ...[...run.retests.values()].flat()];
    run.made ??= await madeOf(batch, sampleTestIds, run.numbered);
    const { id, batchNumber } = run.made;
    await remove(batch, waiting, run);
    say({ tone: run.refused.length ? 'attention' : 'ready',
        text: texts.repeated(batch.batchNumber, batchNumber), details: run.refused });
    navigate(sampleTestIds.length ? paths.bench('batch', String(id)) : paths.qcBatch(id));
}

const isOpen = ({ status, disposition }: CoveredTest): boolean =>
    status !== 'verified' && disposition === 'active';

// The tests are read for it: the page may not have those of the batch yet. What an override was
// signed for is not measured again.
async function openTests(batch: QcBatch): Promise<CoveredTest[]> {
    return (await testsCoveredBy(batch)).filter((test) => isOpen(test)
        && (batch.qcStatus !== 'overridden' || holds(batch, test)));
}

export async function askToRepeat({ batch }: OpenBatch): Promise<void> {
    const key = `${ownerOf()} ${batch.id}`;
    const open = begun.get(key)?.open ?? await openTests(batch);
    ask({
        kind: 'reason',
        title: texts.repeat,
        note: batch.batchNumber,
        explanation: texts.repeatWhat,
        lines: open.map(nameOf),
        reason: 'must',
        perform: async ({ reason = '' }) => {
            const run = begun.get(key) ?? { open, reason, retests: new Map(),
                refused: [], numbered: {} };
            begun.set(key, run);
            try {
                await repeat(batch, run);
                begun.delete(key);
            } catch (error) {
                // A refusal before anything was done leaves nothing to go on with.
                if (!asProblem(error).passing && run.retests.size === 0) {
                    begun.delete(key);
                }
                throw error;
            }
        },
    });
}

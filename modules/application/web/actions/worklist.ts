// SPDX-License-Identifier: Apache-2.0
//
// Actions on open tests of the worklist: assigning them, making a run of them.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { makeBatch } from './make-batch.ts';

const texts = t.bench.worklist;

export type OpenTest = Read<'/worklist'>['data'][number];

const me = (): number | null => session()?.person.id ?? null;

const notMine = (all: OpenTest[]): OpenTest[] =>
    all.filter(({ assignedTo }) => assignedTo !== me());
const mine = (all: OpenTest[]): OpenTest[] => all.filter(({ assignedTo }) => assignedTo === me());

async function assign(all: OpenTest[], assignedTo: number | null): Promise<void> {
    const { updated } = await answer(api.PATCH('/sample-tests/assign', {
        body: { sampleTestIds: all.map(({ id }) => id), assignedTo } }));
    say({ tone: 'ready', text: (assignedTo === null ? texts.given : texts.taken)(updated.length) });
    await changed('/worklist', '/sample-tests');
}

// Returns the method of the tests; null: they have none, or several.
function methodOf(all: OpenTest[]): string | null {
    const methods = new Set(all.map(({ method }) => method));
    return methods.size === 1 ? all[0]?.method ?? null : null;
}

// Makes a run: a batch with the controls of the method's template. Without one there are no
// controls, and no batch that would wait for them: the address has the tests.
async function makeRun(all: OpenTest[], method: string): Promise<void> {
    const { data: [template] } = await answer(api.GET('/qc-templates', {
        params: { query: { method, active: true, limit: 1 } } }));
    const sampleTestIds = all.map((test) => test.id);
    if (!template) {
        navigate(paths.bench('method', method, sampleTestIds));
        return;
    }
    const { id, batchNumber } = await makeBatch({ qcTemplateId: template.id, sampleTestIds });
    say({ tone: 'ready', text: t.batches.made(batchNumber) });
    navigate(paths.bench('batch', String(id)));
}

const several = (all: OpenTest[]): string | undefined =>
    methodOf(all) === null ? texts.oneMethod : undefined;

export const worklistActions: Action<OpenTest[]>[] = [
    {
        id: 'worklist.run',
        title: (all) => texts.run(all.length),
        permission: 'qc.enter',
        step: true,
        keys: 'm',
        visible: (all) => all.length > 0,
        refused: several,
        perform: (all) => {
            const method = methodOf(all) ?? '';
            ask({
                kind: 'confirm',
                title: texts.run(all.length),
                note: method,
                explanation: texts.runWhat,
                lines: all.map(({ trackingId, testCode }) => `${trackingId} ${testCode}`),
                perform: () => makeRun(all, method),
            });
        },
    },
    {
        id: 'worklist.take',
        title: (all) => texts.take(notMine(all).length),
        permission: 'result.enter',
        keys: 't',
        visible: (all) => notMine(all).length > 0,
        perform: (all) => assign(notMine(all), me()),
    },
    {
        id: 'worklist.give',
        title: (all) => texts.give(mine(all).length),
        permission: 'result.enter',
        visible: (all) => mine(all).length > 0,
        perform: (all) => assign(mine(all), null),
    },
];

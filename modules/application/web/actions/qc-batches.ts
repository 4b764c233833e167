// SPDX-License-Identifier: Apache-2.0
//
// Actions on QC batches: making one from a template, evaluating, adding and removing covered tests,
// overriding, repeating.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question, SignedRow } from '../acting/ask.ts';
import { signature, signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import type { Definition } from '../api/names.ts';
import { AT_ONCE, all } from '../api/pages.ts';
import type { Read } from '../api/read.ts';
import { limitsOf } from '../nouns/qc-numbers.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { limitBeside } from '../texts/limit.ts';
import { t } from '../texts/texts.ts';
import { valueOf } from '../texts/value.ts';
import { type CoveredTest, coverable, laterResults, testsCoveredBy } from './covering.ts';
import { investigating } from './investigating.ts';
import { type Made, batchesChanged, makeBatch } from './make-batch.ts';
import { askToRepeat } from './repeat-run.ts';

export type QcBatch = Read<'/qc-batches/{id}'>;
export type QcControl = QcBatch['controls'][number];
type QcResult = { sampleTestId: number; result: string | null; qualifier: string | null };
type Template = Read<'/qc-templates'>['data'][number];

export interface OpenBatch {
    batch: QcBatch;
    tests: CoveredTest[];
}

const texts = t.batches;

const path = ({ id }: QcBatch) => ({ params: { path: { id } } });

/* Making one */

async function make(made: Made): Promise<void> {
    const { id, batchNumber } = await makeBatch(made);
    say({ tone: 'ready', text: texts.made(batchNumber) });
    navigate(paths.qcBatch(id));
}

// The methods that the batch may be of: its tests are found by it.
async function askForMethod(): Promise<void> {
    const definitions = await all<Definition>((from) => answer(api.GET('/test-definitions', {
        params: { query: { active: true, limit: AT_ONCE, ...from } } })));
    const methods = [...new Set(definitions.flatMap(({ method }) => method ?? []))].sort();
    ask({
        kind: 'confirm',
        title: texts.makeBare,
        choices: { label: texts.makeMethod, one: true, none: texts.noMethod,
            values: methods.map((method) => ({ id: method, title: method })) },
        perform: ({ chosen: [method] }) => make(method ? { method } : {}),
    });
}

export const makeActions = (templates: Template[]): Action<null>[] => [
    ...templates.filter(({ active }) => active).map(({ id, method, name }) => ({
        id: `qc-batch.make-${id}`,
        title: () => texts.makeFrom(method, name),
        permission: 'qc.enter',
        perform: () => make({ qcTemplateId: id }),
    })),
    {
        id: 'qc-batch.make',
        title: () => texts.makeBare,
        permission: 'qc.enter',
        perform: askForMethod,
    },
];

/* Coverage */

export const nameOf = (test: { trackingId?: string; testCode: string; sample?: { trackingId: string } }):
string => `${test.trackingId ?? test.sample?.trackingId ?? ''} ${test.testCode}`;

async function cover({ batch }: OpenBatch): Promise<void> {
    const free = await coverable(batch);
    if (free.length === 0) {
        say({ tone: 'attention', text: texts.coverNone });
        return;
    }
    ask({
        kind: 'confirm',
        title: texts.cover,
        note: batch.batchNumber,
        ...(batch.method === null ? { explanation: texts.coverAny } : {}),
        choices: { label: texts.coverWhich, values: free.map((test) =>
            ({ id: String(test.id), title: [nameOf(test), test.result].filter(Boolean).join(' ') })) },
        perform: async ({ chosen }) => {
            await answer(api.POST('/qc-batches/{id}/cover',
                { ...path(batch), body: { sampleTestIds: chosen.map(Number) } }));
            await batchesChanged();
            say({ tone: 'ready', text: texts.covered(chosen.length) });
        },
    });
}

function uncover({ batch, tests }: OpenBatch): void {
    ask({
        kind: 'reason',
        title: texts.uncover,
        note: batch.batchNumber,
        reason: 'must',
        choices: { label: texts.uncoverWhich, values: tests.map((test) =>
            ({ id: String(test.id), title: nameOf(test) })) },
        perform: async ({ chosen, reason = '' }) => {
            await answer(api.POST('/qc-batches/{id}/uncover',
                { ...path(batch), body: { sampleTestIds: chosen.map(Number), reason } }));
            await batchesChanged();
            say({ tone: 'ready', text: texts.uncovered(chosen.length) });
        },
    });
}

/* Deciding */

async function evaluate({ batch }: OpenBatch): Promise<void> {
    const { qcStatus } = await answer(api.POST('/qc-batches/{id}/evaluate', path(batch)));
    await batchesChanged();
    say({ tone: qcStatus === 'passed' ? 'ready' : 'attention',
        text: texts.evaluated(batch.batchNumber, texts.status[qcStatus]) });
}

// A row for a result in the content that is signed, with what its test says besides.
function rowOf(signed: QcResult, test?: CoveredTest): SignedRow {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    return {
        record: test?.sample?.trackingId ?? '',
        what: test?.testCode ?? String(signed.sampleTestId),
        value: valueOf(signed),
        unit: test?.unit ?? '',
        limit: limitBeside(test?.unit ?? null, test?.specification ?? null),
        flags: test?.outOfSpecification ? [{ code, meaning }] : [],
    };
}

function controlRowOf(batch: QcBatch, control: QcControl): SignedRow {
    const [code = '', meaning = ''] = t.samples.flags.qc;
    return {
        record: batch.batchNumber,
        what: control.controlType,
        value: String(control.measuredValue ?? control.measuredText ?? ''),
        unit: control.unit ?? '',
        limit: limitsOf(control),
        flags: control.passed === false ? [{ code, meaning }] : [],
    };
}

// An override is always signed. What it covers is read once more, its digest first: what
// changes after that is refused, and never signed unseen. The rows are those of the content that
// is signed, so that none of it is missing, however many there are.
async function overriding(id: number): Promise<Question> {
    const content = (await signedContents('qc_batch', [id])).get(id);
    const [batch, tests] = await Promise.all([
        answer(api.GET('/qc-batches/{id}', { params: { path: { id } } })),
        testsCoveredBy({ id }),
    ]);
    const { results = [] } = (content?.content ?? {}) as { results?: QcResult[] };
    const testOf = new Map(tests.map((test) => [test.id, test]));
    return {
        kind: 'signature',
        title: texts.override(batch.batchNumber),
        explanation: texts.overrideWhat,
        rows: [...batch.controls.map((control) => controlRowOf(batch, control)),
            ...results.map((result) => rowOf(result, testOf.get(result.sampleTestId)))],
        reason: 'must',
        renew: () => overriding(id),
        perform: async ({ reason = '', password }) => {
            await answer(api.POST('/qc-batches/{id}/override', { params: { path: { id } },
                body: { reason, signature: signature(password, content) } }));
            await batchesChanged();
            say({ tone: 'ready', text: texts.overrideDone(batch.batchNumber) });
        },
    };
}

const isOpen = ({ batch }: OpenBatch): boolean => batch.qcStatus === 'open';
const hasFailed = ({ batch }: OpenBatch): boolean =>
    batch.qcStatus === 'failed' || (batch.qcStatus === 'open' && batch.failing);
const holdsAgain = ({ batch, tests }: OpenBatch): boolean =>
    laterResults(batch, tests).length > 0;
const waiting = ({ batch }: OpenBatch): number =>
    batch.controls.filter(({ passed }) => passed === null).length;

export const batchActions: Action<OpenBatch>[] = [
    {
        id: 'qc-batch.evaluate',
        title: () => texts.evaluate,
        permission: 'qc.enter',
        step: true,
        visible: (about) => isOpen(about) && about.batch.controls.length > 0,
        refused: (about) => waiting(about) ? texts.evaluateLeft(waiting(about)) : undefined,
        perform: evaluate,
    },
    {
        id: 'qc-batch.override',
        title: ({ batch }) => texts.override(batch.batchNumber),
        permission: 'qc.override',
        visible: (about) => about.batch.qcStatus === 'failed' || isOpen(about) || holdsAgain(about),
        perform: async ({ batch }) => ask(await overriding(batch.id)),
    },
    {
        id: 'qc-batch.repeat',
        title: () => texts.repeat,
        permission: 'qc.enter',
        visible: (about) => hasFailed(about) || holdsAgain(about),
        perform: askToRepeat,
    },
    {
        ...investigating<OpenBatch>('qc-batch.investigate', ({ batch }) => ({
            of: batch.batchNumber, kind: 'qc_failure', title: texts.failedTitle(batch.batchNumber),
            qcBatchId: batch.id,
        }), hasFailed),
        rare: false,
    },
    {
        id: 'qc-batch.change',
        title: () => texts.edit,
        permission: 'qc.enter',
        keys: 'e',
        rare: true,
        perform: ({ batch }) => navigate(paths.qcBatch(batch.id, 'edit')),
    },
    {
        id: 'qc-batch.control',
        title: () => texts.form.create,
        permission: 'qc.enter',
        rare: true,
        perform: ({ batch }) => navigate(paths.qcBatch(batch.id, 'control')),
    },
    {
        id: 'qc-batch.cover',
        title: () => texts.cover,
        permission: 'qc.enter',
        perform: cover,
    },
    {
        id: 'qc-batch.uncover',
        title: () => texts.uncover,
        permission: 'qc.enter',
        visible: ({ tests }) => tests.length > 0,
        perform: uncover,
    },
    {
        id: 'qc-batch.bench',
        title: () => texts.bench,
        permission: 'result.enter',
        rare: true,
        visible: ({ tests }) => tests.length > 0,
        perform: ({ batch }) => navigate(paths.bench('batch', String(batch.id))),
    },
];

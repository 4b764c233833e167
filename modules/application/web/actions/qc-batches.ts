// SPDX-License-Identifier: Apache-2.0
//
// What is done with QC batches: made from a template, evaluated, tests covered and taken out,
// overridden, repeated.
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import type { Action } from './action.ts';
import { ask } from './ask.ts';
import type { SignedRow } from './ask.ts';
import { type Made, batchesChanged, makeBatch } from './make-batch.ts';
import { askToRepeat } from './repeat-run.ts';

export type QcBatch = Read<'/qc-batches/{id}'>;
export type QcControl = QcBatch['controls'][number];
export type CoveredTest = Read<'/sample-tests'>['data'][number];
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
        perform: () => make({}),
    },
];

/* Coverage */

export const nameOf = (test: { trackingId?: string; testCode: string; sample?: { trackingId: string } }):
string => `${test.trackingId ?? test.sample?.trackingId ?? ''} ${test.testCode}`;

async function cover({ batch }: OpenBatch): Promise<void> {
    const { data } = await answer(api.GET('/worklist', { params: { query: {
        ...(batch.method ? { method: batch.method } : {}), limit: 200,
    } } }));
    const free = data.filter(({ id }) => !batch.sampleTestIds.includes(id));
    if (free.length === 0) {
        say({ tone: 'attention', text: texts.coverNone });
        return;
    }
    ask({
        kind: 'confirm',
        title: texts.cover,
        note: batch.batchNumber,
        choices: { label: texts.coverWhich, values: free.map((test) =>
            ({ id: String(test.id), title: nameOf(test) })) },
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

function rowOf(test: CoveredTest): SignedRow {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    return {
        record: test.sample?.trackingId ?? '',
        what: test.testCode,
        value: `${test.qualifier ?? ''}${test.result ?? ''}`,
        unit: test.unit ?? '',
        limit: test.specification ?? '',
        flags: test.outOfSpecification ? [{ code, meaning }] : [],
    };
}

function override({ batch, tests }: OpenBatch): void {
    const signed = session()?.policies.esignatureRequired ?? false;
    ask({
        kind: signed ? 'signature' : 'reason',
        title: texts.override(batch.batchNumber),
        explanation: texts.overrideWhat,
        rows: tests.map(rowOf),
        reason: 'must',
        perform: async ({ reason = '', password }) => {
            await answer(api.POST('/qc-batches/{id}/override', {
                ...path(batch),
                body: Object.assign({ reason }, password ? { signature: { password } } : {}),
            }));
            await batchesChanged();
            say({ tone: 'ready', text: texts.overrideDone(batch.batchNumber) });
        },
    });
}

function investigate({ batch }: OpenBatch): void {
    ask({
        kind: 'reason',
        title: texts.investigate,
        note: batch.batchNumber,
        name: texts.investigateName,
        perform: async ({ reason = '' }) => {
            const { investigationNumber } = await answer(api.POST('/investigations', {
                body: { kind: 'qc_failure', title: reason, qcBatchId: batch.id },
            }));
            await batchesChanged();
            say({ tone: 'ready', text: texts.investigated(investigationNumber) });
        },
    });
}

const isOpen = ({ batch }: OpenBatch): boolean => batch.qcStatus === 'open';
const hasFailed = ({ batch }: OpenBatch): boolean =>
    batch.qcStatus === 'failed' || (batch.qcStatus === 'open' && batch.failing);
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
        visible: ({ batch }) => batch.qcStatus === 'failed' || batch.qcStatus === 'open',
        perform: override,
    },
    {
        id: 'qc-batch.repeat',
        title: () => texts.repeat,
        permission: 'qc.enter',
        visible: hasFailed,
        perform: askToRepeat,
    },
    {
        id: 'qc-batch.investigate',
        title: () => texts.investigate,
        permission: 'investigation.work',
        visible: hasFailed,
        perform: investigate,
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

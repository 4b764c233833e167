// SPDX-License-Identifier: Apache-2.0
//
// The tests of a run: those of a method that are not verified yet, of samples that are here,
// or those that a QC batch covers.
import { answer, api } from '../../api/client.ts';
import type { Definition } from '../../api/names.ts';
import { AT_ONCE, all } from '../../api/pages.ts';
import { type Read, readAgain } from '../../api/read.ts';
import { knowPeople } from './people.ts';

export type SampleTest = Read<'/sample-tests'>['data'][number];

// Source of a run, as the address names it: a method or a batch.
export type By = 'method' | 'batch';

export type Batch = Read<'/qc-batches/{id}'>;
export type Control = Batch['controls'][number];

// Tests and controls that are entered in a run.
export interface Entered {
    readonly tests: readonly SampleTest[];
    readonly controls: readonly Control[];
    // The batch whose controls they are.
    readonly batch: Batch | null;
}

export interface Run extends Entered {
    readonly definitions: readonly Definition[];
}

// A look that the page takes by itself is no use of the session.
const manner = (background: boolean): { headers?: Record<string, string> } =>
    background ? { headers: { 'X-Lims-Background': '1' } } : {};

type Filter = { testDefinitionId: number } | { qcBatchId: number };

// A batch shows what is verified and locked, a method only what is still to be done.
async function testsOf(filter: Filter, background: boolean): Promise<SampleTest[]> {
    const open = ['pending', 'entered'] as const;
    const states = 'qcBatchId' in filter ? [...open, 'verified' as const] : open;
    const found = await Promise.all(states.map((status) => all<SampleTest>((from) =>
        answer(api.GET('/sample-tests', {
            params: { query: {
                ...filter, status: [status], include: 'sample', limit: AT_ONCE, ...from,
            } },
            ...manner(background),
        })))));
    return found.flat().filter((test) => test.sample?.receivedAt);
}

const definitionsOf = (background: boolean): Promise<Definition[]> => all<Definition>((from) =>
    answer(api.GET('/test-definitions', {
        params: { query: { limit: AT_ONCE, ...from } }, ...manner(background) })));

const batchOf = (id: string, background: boolean): Promise<Batch> =>
    answer(api.GET('/qc-batches/{id}', {
        params: { path: { id: Number(id) } }, ...manner(background) }));

async function batchAndTests(id: string, background: boolean) {
    const [batch, tests] = await Promise.all([
        batchOf(id, background), testsOf({ qcBatchId: Number(id) }, background)]);
    return { batch, tests, controls: batch.controls };
}

// A change has the time at which its transaction began: whoever asks goes back a minute.
const OVERLAP = 60_000;

// Returns the time of the latest change among these tests.
export const lastChange = (tests: readonly SampleTest[], before = ''): string =>
    tests.reduce((last, { updatedAt }) => updatedAt > last ? updatedAt : last, before);

// Reads tests that changed at this time or later, whatever their status.
async function changedTests(filter: { qcBatchId?: number }, since: string): Promise<SampleTest[]> {
    if (!since) {
        return [];
    }
    const updatedSince = new Date(Date.parse(since) - OVERLAP).toISOString();
    return all<SampleTest>((from) => answer(api.GET('/sample-tests', {
        params: { query: { ...filter, updatedSince, limit: AT_ONCE, ...from } },
        ...manner(true),
    })));
}

// Reads the tests changed since a time; the controls of a batch are read whole.
export async function enteredSince(by: By, value: string, since: string): Promise<Entered> {
    if (by === 'method') {
        return { tests: await changedTests({}, since), controls: [], batch: null };
    }
    const [batch, tests] = await Promise.all([batchOf(value, true),
        changedTests({ qcBatchId: Number(value) }, since)]);
    return { tests, controls: batch.controls, batch };
}

// Returns the ids of the tests that wait for a result in a run.
export async function waitingIn(by: By, value: string): Promise<number[]> {
    if (by === 'method') {
        const open = await all((from) => readAgain('/worklist', {
            params: { query: { method: value, limit: AT_ONCE, ...from } } }));
        return open.map(({ id }) => id);
    }
    const pending = await all((from) => readAgain('/sample-tests', { params: { query: {
        qcBatchId: Number(value), status: ['pending'], include: 'sample', limit: AT_ONCE, ...from,
    } } }));
    return pending.filter(({ sample }) => sample?.receivedAt).map(({ id }) => id);
}

const byId = <One extends { id: number }>(some: readonly One[], others: readonly One[]): One[] =>
    [...new Map([...some, ...others].map((one) => [one.id, one])).values()];

// Joins a run with what it is now: nothing that was entered in it is left out.
export const joined = (before: Run, now: Run): Run => ({
    tests: byId(before.tests, now.tests),
    controls: byId(before.controls, now.controls),
    definitions: byId(before.definitions, now.definitions),
    batch: now.batch,
});

const peopleOf = (): Promise<Read<'/people'>> =>
    answer(api.GET('/people', { params: { query: { limit: AT_ONCE } } }));

// `chosen`: the tests of a method that are a run by themselves; none: all that are open.
export async function loadRun(by: By, value: string, chosen: readonly number[]): Promise<Run> {
    const people = peopleOf();
    const run = await readRun(by, value, false);
    knowPeople((await people).data);
    return chosen.length ? only(run, chosen) : run;
}

function only(run: Run, chosen: readonly number[]): Run {
    const tests = run.tests.filter(({ id }) => chosen.includes(id));
    return { ...run, tests, definitions: run.definitions.filter(({ id }) =>
        tests.some(({ testDefinitionId }) => testDefinitionId === id)) };
}

// Reads all of a run; in the background where the page does so by itself.
export async function readRun(by: By, value: string, background: boolean): Promise<Run> {
    if (by === 'batch') {
        const [known, found] = await Promise.all([definitionsOf(background),
            batchAndTests(value, background)]);
        const ids = new Set([...found.tests, ...found.controls]
            .map((test) => test.testDefinitionId));
        return { ...found, definitions: known.filter(({ id }) => ids.has(id)) };
    }
    const asked = (await definitionsOf(background)).filter(({ method }) => method === value);
    const tests = await Promise.all(
        asked.map(({ id }) => testsOf({ testDefinitionId: id }, background)));
    return { definitions: asked.filter((_, i) => tests[i]?.length), tests: tests.flat(),
        controls: [], batch: null };
}

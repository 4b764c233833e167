// SPDX-License-Identifier: Apache-2.0
//
// The tests of a run: those of a method that are not verified yet, of samples that are here,
// or those that a QC batch covers.
import { answer, api } from '../../api/client.ts';
import type { Read } from '../../api/read.ts';

export type SampleTest = Read<'/sample-tests'>['data'][number];
export type Definition = Read<'/test-definitions'>['data'][number];

// What a run is made of, as its address says.
export type By = 'method' | 'batch';

export interface Run {
    readonly definitions: readonly Definition[];
    readonly tests: readonly SampleTest[];
}

interface Page<Row> {
    data: Row[];
    nextCursor: number;
    hasMore: boolean;
}

const LIMIT = 500;

async function all<Row>(ask: (cursor?: number) => Promise<Page<Row>>): Promise<Row[]> {
    const first = await ask();
    const rows = [...first.data];
    for (let page = first; page.hasMore;) {
        page = await ask(page.nextCursor);
        rows.push(...page.data);
    }
    return rows;
}

// A look that the page takes by itself is no use of the session.
const manner = (background: boolean): { headers?: Record<string, string> } =>
    background ? { headers: { 'X-Lims-Background': '1' } } : {};

const at = (cursor?: number): { cursor?: number } => cursor === undefined ? {} : { cursor };

type Filter = { testDefinitionId: number } | { qcBatchId: number };

async function testsOf(filter: Filter, background: boolean): Promise<SampleTest[]> {
    const states = ['pending', 'entered'] as const;
    const found = await Promise.all(states.map((status) => all<SampleTest>((cursor) =>
        answer(api.GET('/sample-tests', {
            params: { query: {
                ...filter, status: [status], include: 'sample', limit: LIMIT, ...at(cursor),
            } },
            ...manner(background),
        })))));
    return found.flat().filter((test) => test.sample?.receivedAt);
}

const definitionsOf = (): Promise<Definition[]> => all<Definition>((cursor) => answer(
    api.GET('/test-definitions', { params: { query: { limit: LIMIT, ...at(cursor) } } })));

// Reads the tests of some definitions again.
export async function testsAgain(
    by: By, value: string, definitions: readonly Definition[],
): Promise<SampleTest[]> {
    if (by === 'batch') {
        return testsOf({ qcBatchId: Number(value) }, true);
    }
    const found = await Promise.all(
        definitions.map(({ id }) => testsOf({ testDefinitionId: id }, true)));
    return found.flat();
}

export async function loadRun(by: By, value: string): Promise<Run> {
    const known = await definitionsOf();
    if (by === 'batch') {
        const tests = await testsOf({ qcBatchId: Number(value) }, false);
        const ids = new Set(tests.map((test) => test.testDefinitionId));
        return { definitions: known.filter(({ id }) => ids.has(id)), tests };
    }
    const asked = known.filter(({ method }) => method === value);
    const tests = await Promise.all(
        asked.map(({ id }) => testsOf({ testDefinitionId: id }, false)));
    return { definitions: asked.filter((_, i) => tests[i]?.length), tests: tests.flat() };
}

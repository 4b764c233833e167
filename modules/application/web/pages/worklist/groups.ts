// SPDX-License-Identifier: Apache-2.0
//
// The worklist by method, by instrument or by the day on which a report is due: what is open,
// and what ends first.
import type { Read } from '../../api/read.ts';

export type WorklistTest = Read<'/worklist'>['data'][number];

export const groupings = ['method', 'instrument', 'due'] as const;
export type By = (typeof groupings)[number];

export interface Group {
    // Value that its tests share, as the worklist is filtered by it; empty: they have none.
    readonly key: string;
    readonly open: number;
    readonly analytes: readonly string[];
    // Number of tests of priority rush or stat.
    readonly urgent: number;
    // Test whose holding time ends first; null: none has one.
    readonly first: WorklistTest | null;
}

const keys: Record<By, (test: WorklistTest) => string> = {
    method: ({ method }) => method ?? '',
    instrument: ({ instrumentId }) => instrumentId === null ? '' : String(instrumentId),
    due: ({ dueDate }) => dueDate ?? '',
};

// Whether a test is of the group of this key.
export const isIn = (test: WorklistTest, by: By, key: string): boolean => keys[by](test) === key;

const end = (test: WorklistTest | null): string => test?.holdingExpiresAt ?? '9999';

const sooner = (first: WorklistTest | null, test: WorklistTest): WorklistTest | null =>
    end(test) < end(first) ? test : first;

function groupOf(key: string, tests: readonly WorklistTest[]): Group {
    return {
        key,
        open: tests.length,
        analytes: [...new Set(tests.map((test) => test.testCode))].sort(),
        urgent: tests.filter((test) => test.priority !== 'routine').length,
        first: tests.reduce(sooner, null),
    };
}

export interface WorkSample {
    readonly first: WorklistTest;
    readonly codes: readonly string[];
}

// The samples of tests, each once, in the order of their first.
export function samplesOf(tests: readonly WorklistTest[]): WorkSample[] {
    const samples = new Map<number, WorkSample>();
    for (const test of tests) {
        const { first = test, codes = [] } = samples.get(test.sampleId) ?? {};
        samples.set(test.sampleId, { first, codes: [...codes, test.testCode] });
    }
    return [...samples.values()];
}

// Groups in the order of the worklist, that whose first test is to be done first; days in
// theirs.
export function groupsOf(tests: readonly WorklistTest[], by: By = 'method'): Group[] {
    const groups = new Map<string, WorklistTest[]>();
    for (const test of tests) {
        const key = keys[by](test);
        groups.set(key, [...groups.get(key) ?? [], test]);
    }
    const found = [...groups].map(([key, ones]) => groupOf(key, ones));
    return by === 'due'
        ? found.sort((a, b) => (a.key || '9999').localeCompare(b.key || '9999')) : found;
}

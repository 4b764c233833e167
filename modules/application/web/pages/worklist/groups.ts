// SPDX-License-Identifier: Apache-2.0
//
// The worklist by method: what is open, and what ends first.
import type { Read } from '../../api/read.ts';

export type WorklistTest = Read<'/worklist'>['data'][number];

export interface Group {
    // Method; empty: the tests have none.
    readonly method: string;
    readonly open: number;
    readonly analytes: readonly string[];
    // Number of tests of priority rush or stat.
    readonly urgent: number;
    // Test whose holding time ends first; null: none has one.
    readonly first: WorklistTest | null;
}

const end = (test: WorklistTest | null): string => test?.holdingExpiresAt ?? '9999';

const sooner = (first: WorklistTest | null, test: WorklistTest): WorklistTest | null =>
    end(test) < end(first) ? test : first;

function groupOf(method: string, tests: readonly WorklistTest[]): Group {
    return {
        method,
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

// Groups in the order of the worklist: that whose first test is to be done first.
export function groupsOf(tests: readonly WorklistTest[]): Group[] {
    const methods = new Map<string, WorklistTest[]>();
    for (const test of tests) {
        const method = test.method ?? '';
        methods.set(method, [...methods.get(method) ?? [], test]);
    }
    return [...methods].map(([method, ones]) => groupOf(method, ones));
}

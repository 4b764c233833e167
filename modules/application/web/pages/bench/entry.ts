// SPDX-License-Identifier: Apache-2.0
//
// A result as it is typed into one cell and as its record has it: text, with a qualifier
// behind it ("0.03 J") or before it ("<0.05"). Nothing else about the text is understood here.
import type { SampleTest } from './run.ts';

export type Qualifier = NonNullable<SampleTest['qualifier']>;

export interface Typed {
    readonly result: string | null;
    // Absent: the column's values have none.
    readonly qualifier?: Qualifier | null;
}

const BEHIND = /^(\S*\d\S*)\s+(ND|J|U)$/i;
const known: Readonly<Record<string, Qualifier>> = { ND: 'ND', J: 'J', U: 'U' };

// Returns the body for a typed value. An empty cell withdraws the result.
export function sentOf(typed: string, numeric: boolean): Typed {
    if (typed.trim() === '') {
        return { result: null };
    }
    const found = numeric ? BEHIND.exec(typed.trim()) : null;
    return found
        ? { result: found[1] ?? '', qualifier: known[(found[2] ?? '').toUpperCase()] ?? null }
        : { result: typed, ...(numeric ? { qualifier: null } : {}) };
}

// Returns the text that a cell shows of a record; typed again, it means the same.
export function shownOf(result: string | null, qualifier: Qualifier | null): string {
    if (result === null || qualifier === null) {
        return result ?? '';
    }
    const before = qualifier === '<' || qualifier === '>';
    return before ? `${qualifier}${result}` : `${result} ${qualifier}`;
}

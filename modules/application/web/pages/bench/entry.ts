// SPDX-License-Identifier: Apache-2.0
//
// A result as it is typed into one cell and as its record has it: text, with a qualifier
// behind it ("0.03 J") or before it ("<0.05"). Nothing else about the text is understood here.
import type { Content, Version } from '../../grid/sheet.ts';
import type { SampleTest } from './run.ts';

export type Qualifier = NonNullable<SampleTest['qualifier']>;

export interface Typed {
    readonly result: string | null;
    // Absent: the column's values have none.
    readonly qualifier?: Qualifier | null;
}

const BEHIND = /^((?:[<>]\s*)?\S*\d\S*)\s+(ND|J|U)$/i;
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

// Returns the body for a cell: where its text was not touched, the record's own result and
// qualifier, which the text need not tell apart.
export function givenBy(content: Content, base: Version, numeric: boolean): Typed {
    return base.entered && content.typed === base.text ? base.entered
        : sentOf(content.typed, numeric);
}

// SPDX-License-Identifier: Apache-2.0
//
// The columns of a pasted block that name the rows of a sheet: by a sample's tracking id, by a
// test, or by both where a row is a test of a sample.
import type { Row, Sheet } from './sheet.ts';
import { t } from '../texts/texts.ts';

type Line = readonly string[];

// A column of the block, and the rows of the sheet by what may stand in it, in capitals.
export interface Key {
    readonly column: number;
    readonly rows: ReadonlyMap<string, readonly number[]>;
}

// Something that names rows: the headings under which it stands, and its names of a row.
interface Naming {
    // The sheet's own headings, and usual ones of other programs.
    readonly own: readonly string[];
    readonly usual: readonly string[];
    readonly of: (row: Row) => readonly (string | undefined)[];
}

export function folded(text: string): string {
    return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

// A heading without its punctuation: "Sample_ID" is "SAMPLE ID".
const plain = (text: string): string => folded(text.replace(/[^\p{L}\p{N}]+/gu, ' '));

function namingsOf({ heads, order }: Sheet): Naming[] {
    const titles = heads.map(({ title }) => plain(title));
    const { sample, test } = t.grid.headings;
    switch (order) {
        case 'columns':
            return [{ own: titles.slice(0, 2), usual: test,
                of: ({ label, facts }) => [label, facts[0]] }];
        case 'list':
            return [
                { own: titles.slice(0, 1), usual: sample, of: ({ label }) => [label] },
                { own: titles.slice(1, 3), usual: test, of: ({ facts }) => facts.slice(0, 2) },
            ];
        default:
            return heads.length === 0 ? []
                : [{ own: titles.slice(0, 1), usual: sample, of: ({ label }) => [label] }];
    }
}

function rowsBy(sheet: Sheet, of: Naming['of']): Map<string, number[]> {
    const rows = new Map<string, number[]>();
    sheet.rows.forEach((row, index) => {
        for (const name of new Set(of(row).map((one) => folded(one ?? '')))) {
            if (name !== '') {
                rows.set(name, [...rows.get(name) ?? [], index]);
            }
        }
    });
    return rows;
}

// The form of a tracking id; null: a text without letters or with few digits could be a value.
function formOf(name: string): string | null {
    return /\p{L}/u.test(name) && (name.match(/\d/g) ?? []).length >= 4
        ? name.replace(/\d+/g, '0').replace(/\p{L}/gu, 'A') : null;
}

// Returns the best of the columns by a measure of how well each serves; null: none serves.
function best(columns: readonly number[], measure: (column: number) => number): number | null {
    const marks = columns.map(measure);
    const most = marks.reduce((high, mark) => Math.max(high, mark), 0);
    return most === 0 ? null : columns[marks.indexOf(most)] ?? null;
}

// Finds the column that names rows: under the sheet's own heading, or with names of the sheet's
// rows, or under a usual heading, or with what looks like the name of another run's row.
function keyOf(
    sheet: Sheet, head: Line, lines: readonly Line[], free: readonly number[], naming: Naming,
): Key | null {
    const rows = rowsBy(sheet, naming.of);
    const forms = new Set([...rows.keys()].flatMap((name) => formOf(name) ?? []));
    const count = (holds: (name: string) => boolean) => (column: number): number =>
        lines.filter((line) => holds(folded(line[column] ?? ''))).length;
    const named = count((name) => rows.has(name));
    const under = (titles: readonly string[]) => (column: number): number =>
        titles.includes(plain(head[column] ?? '')) ? 1 + named(column) : 0;
    const column = best(free, under(naming.own)) ?? best(free, named)
        ?? best(free, under(naming.usual)) ?? best(free, count((name) => forms.has(formOf(name) ?? '')));
    return column === null ? null : { column, rows };
}

// Returns the columns that name rows, of those that are no columns of the sheet. The heading is
// empty where the block has none.
export function keysOf(
    sheet: Sheet, head: Line, lines: readonly Line[], free: readonly number[],
): Key[] {
    return namingsOf(sheet).reduce<Key[]>((keys, naming) => {
        const left = free.filter((c) => keys.every(({ column }) => column !== c));
        const key = keyOf(sheet, head, lines, left, naming);
        return key ? [...keys, key] : keys;
    }, []);
}

// Whether the first line says what stands below it in a column that names rows.
export function isHeaded(sheet: Sheet, line: Line): boolean {
    return namingsOf(sheet).some(({ own, usual }) =>
        line.some((text) => [...own, ...usual].includes(plain(text))));
}

// Returns what a line names, in its own words.
export const namedIn = (keys: readonly Key[], line: Line): string[] =>
    keys.flatMap(({ column }) => (line[column] ?? '').trim() || []);

// Returns the rows that a line names by all of its keys.
export function rowsNamed(keys: readonly Key[], line: Line): number[] {
    const [first = [], ...rest] = keys.map(({ column, rows }) =>
        rows.get(folded(line[column] ?? '')) ?? []);
    return first.filter((row) => rest.every((rows) => rows.includes(row)));
}

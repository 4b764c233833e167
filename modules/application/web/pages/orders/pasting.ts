// SPDX-License-Identifier: Apache-2.0
//
// Finds the meaning of the columns of a pasted block. If all its headings are known, they decide; a
// block without headings goes where the cursor stands; if only some are known, the person is asked.
import { type Heading, headingOf } from '../../grid/heading.ts';
import type { Sheet } from '../../grid/sheet.ts';
import { readTsv } from '../../grid/tsv.ts';

export interface Block {
    readonly text: string;
    readonly lines: readonly (readonly string[])[];
    // Whether the first line is a heading.
    readonly headed: boolean;
    // The sheet's column of each of the block; null: it is left out.
    readonly columns: readonly (number | null)[];
}

export type Read =
    | { readonly kind: 'cell' }
    | { readonly kind: 'known'; readonly block: Block }
    | { readonly kind: 'asked'; readonly block: Block };

const widthOf = (lines: readonly (readonly string[])[]): number =>
    lines.reduce((widest, line) => Math.max(widest, line.length), 0);

// Reads a pasted text; `left` is the column of the cursor.
export function readBlock(sheet: Sheet, text: string, left: number): Read {
    const lines = readTsv(text);
    const width = widthOf(lines);
    if (lines.length < 2 && width < 2) {
        return { kind: 'cell' };
    }
    const heading = headingOf(sheet, lines, left);
    if (heading?.lines !== 1) {
        const columns = Array.from({ length: width }, (_, c) =>
            (left + c < sheet.columns.length ? left + c : null));
        const block = { text, lines, headed: false, columns };
        return { kind: columns.includes(null) ? 'asked' : 'known', block };
    }
    const columns = Array.from({ length: width }, (_, c) => heading.columns[c] ?? null);
    const open = columns.some((column, c) => column === null
        && lines.some((line) => (line[c] ?? '').trim() !== ''));
    const twice = columns.filter((column, c) => column !== null && columns.indexOf(column) !== c);
    return { kind: open || twice.length > 0 ? 'asked' : 'known',
        block: { text, lines, headed: true, columns } };
}

// The heading by which the grid pastes a block; columns that are left out are none of its own.
export const chosenOf = ({ headed, columns }: Block): Heading => ({
    lines: headed ? 1 : 0,
    columns,
    keys: [],
    facts: new Set(columns.flatMap((column, c) => column === null ? [c] : [])),
    unclear: new Set(),
});

export const linesOf = ({ lines, headed }: Block): number => lines.length - (headed ? 1 : 0);

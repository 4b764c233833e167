// SPDX-License-Identifier: Apache-2.0
//
// Finds what the lines of a pasted block are called: its first line by the names of the sheet's
// columns, its other lines by the names of the rows. A block that names neither goes where the
// cursor stands; one that names rows never goes by position.
import { type Key, folded, isHeaded, keysOf, rowsNamed } from './row-names.ts';
import type { Column, Sheet } from './sheet.ts';

type Line = readonly string[];

export interface Heading {
    // Lines of the block that name columns: 1 or 0.
    readonly lines: number;
    // The sheet's column for each of the block; null: there is none of that name.
    readonly columns: readonly (number | null)[];
    // Columns of the block that name rows; none: rows are counted from the cursor.
    readonly keys: readonly Key[];
    // Columns of the block that the sheet shows and does not enter, such as the place.
    readonly facts: ReadonlySet<number>;
    // Columns of the block whose heading names several columns of the sheet.
    readonly unclear: ReadonlySet<number>;
}

const namesOf = ({ key, name, aliases }: Column): string[] =>
    [key, name, ...aliases].map(folded).filter(Boolean);

// A heading may have its unit behind it: "NO3N (mg/L)" names NO3N. An oxidation state or a word
// there makes it something else: "Chromium (VI)" is not chromium, nor "Iron (dissolved)" iron.
function withoutUnit(head: string): string {
    const [, bare = '', behind = ''] = /^(.*?)\s*[([]\s*([^)\]]*)/.exec(head) ?? [];
    return /^([IVX]+|\p{L}{4,})$/u.test(behind.trim()) ? '' : bare;
}

// Returns the columns that a heading names: those of exactly that name, else those of the name
// without its unit.
function columnsNamed(names: readonly (readonly string[])[], text: string): number[] {
    const having = (head: string): number[] => head === '' ? []
        : names.flatMap((own, index) => own.includes(head) ? [index] : []);
    const exact = having(folded(text));
    return exact.length > 0 ? exact : having(withoutUnit(folded(text)));
}

const widthOf = (block: readonly Line[]): number =>
    block.reduce((widest, line) => Math.max(widest, line.length), 0);

const places = (block: readonly Line[]): number[] =>
    Array.from({ length: widthOf(block) }, (_, c) => c);

const NUMBER = /^[<>]?\s*[-+]?\d+([.,]\d+)?\s*[A-Z%]{0,2}$/;

// Whether the first line of a block that names rows is a heading: it names none, and has no number.
const isTitle = (keys: readonly Key[], line: Line): boolean =>
    rowsNamed(keys, line).length === 0 && !line.some((text) => NUMBER.test(folded(text)));

// Returns columns from the cursor's on, for a block that names rows and has no heading. What is
// left of the names has no column.
function fromCursor(sheet: Sheet, block: readonly Line[], keys: Key[], left: number): Heading {
    const isKey = (c: number): boolean => keys.some(({ column }) => column === c);
    const first = Math.min(...keys.map(({ column }) => column));
    const values = places(block).filter((c) => c > first && !isKey(c));
    return {
        lines: 0,
        columns: places(block).map((c) => {
            const at = values.indexOf(c);
            return at >= 0 && left + at < sheet.columns.length ? left + at : null;
        }),
        keys,
        facts: new Set(),
        unclear: new Set(),
    };
}

// Whether the first line names columns: at least half of what stands there are names, one of
// them of a column that is entered. A value that happens to be a name makes no heading.
function namesColumns(first: Line, entered: readonly number[][], facts: ReadonlySet<number>): boolean {
    const named = first.filter((_, c) => entered[c]?.length || facts.has(c)).length;
    const given = first.filter((text) => folded(text) !== '').length;
    return named * 2 >= given && entered.some(({ length }) => length > 0);
}

// Returns how a block names its columns and rows; null: it names neither.
export function headingOf(sheet: Sheet, block: readonly Line[], left: number): Heading | null {
    const first = block[0] ?? [];
    const names = sheet.columns.map(namesOf);
    const entered = first.map((text) => columnsNamed(names, text));
    const heads = sheet.heads.map(({ title }) => folded(title));
    const facts = new Set(places(block).filter((c) =>
        !entered[c]?.length && heads.includes(folded(first[c] ?? ''))));
    const free = places(block).filter((c) => !entered[c]?.length);
    const headed = namesColumns(first, entered, facts)
        || (block.length > 1 && isHeaded(sheet, first));
    if (!headed) {
        const keys = widthOf(block) > 1 ? keysOf(sheet, [], block, places(block)) : [];
        if (keys.length === 0) {
            return null;
        }
        if (block.length === 1 || !isTitle(keys, first)) {
            return fromCursor(sheet, block, keys, left);
        }
    }
    const keys = keysOf(sheet, first, block.slice(1), free);
    return {
        lines: 1,
        columns: entered.map((named) => named.length === 1 ? named[0] ?? null : null),
        keys,
        facts: new Set([...facts].filter((c) => keys.every(({ column }) => column !== c))),
        unclear: new Set(places(block).filter((c) => (entered[c]?.length ?? 0) > 1)),
    };
}

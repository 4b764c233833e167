// SPDX-License-Identifier: Apache-2.0
//
// Plans a paste before anything is changed: the changes, which are one step, and a remark for each
// cell that is left out. No value is guessed: the person is asked what a comma means.
import { type Area, type Column, type Place, type Remark, type Sheet, cellAt, isNumeric } from './sheet.ts';
import type { Change } from './model.ts';
import { type Heading, headingOf } from './heading.ts';
import { namedIn, rowsNamed } from './row-names.ts';
import { readTsv } from './tsv.ts';

// Meaning of a comma in a number: not asked yet, a decimal point, or kept as it is.
export type Comma = 'ask' | 'point' | 'keep';

// A remark on a pasted cell: its place, or null where the sheet has none for it.
export interface PasteRemark extends Remark {
    readonly place: Place | null;
    readonly given: string;
}

export type Plan =
    | { readonly kind: 'refused'; readonly remark: Remark }
    | { readonly kind: 'comma'; readonly examples: readonly string[] }
    | {
          readonly kind: 'planned';
          readonly changes: readonly Change[];
          readonly remarks: readonly PasteRemark[];
          // Number of cells in the block that are not empty.
          readonly given: number;
          // Area that was pasted over, to be selected afterwards; null: the headings scattered the
          // block.
          readonly area: Area | null;
      };

// Largest paste; a larger block is a file, to be imported as one.
export const CELLS = 20_000;
export const CHARACTERS = 2_000_000;

const COMMA = /^\s*[<>]?\s*[-+]?\d+,\d+\s*[A-Za-z]{0,2}\s*$/;
const UNSEEN = /[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;

interface Target {
    readonly place: Place | null;
    readonly text: string;
    // Reason why the sheet has no place for a pasted cell.
    readonly remark: Remark | null;
}

function remark(code: string, values: Remark['values'] = {}): Remark {
    return { code, values };
}

// A block is repeated over a selection that holds it a whole number of times.
function repeated(block: string[][], area: Area): string[][] {
    const height = area.bottom - area.top + 1;
    const width = area.right - area.left + 1;
    const widest = Math.max(...block.map((row) => row.length));
    const times = height % block.length === 0 && width % widest === 0;
    if (!times || (height <= block.length && width <= widest)) {
        return block;
    }
    return Array.from({ length: height }, (_, r) => {
        const row = block[r % block.length] ?? [];
        return Array.from({ length: width }, (__, c) => row[c % widest] ?? '');
    });
}

function byPlace(sheet: Sheet, block: string[][], area: Area): Target[] {
    return repeated(block, area).flatMap((row, r) =>
        row.map((text, c) => {
            const place = { row: area.top + r, column: area.left + c };
            const missing =
                place.column >= sheet.columns.length
                    ? remark('beyond_last_column')
                    : place.row >= sheet.rows.length && !sheet.grow
                      ? remark('beyond_last_row')
                      : null;
            return { place: missing ? null : place, text, remark: missing };
        }),
    );
}

// Returns the row for a value of a line that names rows, or why there is none. Of several rows
// with one name (a test that was done again) it is the only one that has a cell in the column.
function rowNamed(sheet: Sheet, { keys }: Heading, line: readonly string[], column: number): number | Remark {
    const rows = rowsNamed(keys, line);
    const ordered = rows.filter((row) => cellAt(sheet, { row, column })?.id !== '');
    const [row, ...others] = ordered.length > 0 ? ordered : rows;
    const named = namedIn(keys, line);
    const label = named.join(' ');
    if (named.length < keys.length) {
        return remark('no_label', { label });
    }
    return row === undefined ? remark('no_such_row', { label })
        : others.length > 0 ? remark('several_rows', { label }) : row;
}

// Returns the row that is counted from the cursor.
const rowCounted = (sheet: Sheet, row: number): number | Remark =>
    row < sheet.rows.length || sheet.grow ? row : remark('beyond_last_row');

// Returns why a column of the block is none of the sheet.
function noColumn({ lines, keys, unclear }: Heading, name: string, c: number): Remark {
    if (lines === 0) {
        return remark(keys.some(({ column }) => c < column) ? 'no_heading' : 'beyond_last_column');
    }
    return remark(unclear.has(c) ? 'several_columns' : name.trim() ? 'no_such_column' : 'no_heading',
        { name });
}

function byHeading(sheet: Sheet, block: string[][], heading: Heading, top: number): Target[] {
    const { columns, facts, keys } = heading;
    const isShown = (c: number): boolean => facts.has(c) || keys.some(({ column }) => column === c);
    return block.slice(heading.lines).flatMap((line, r) => {
        // A blank line names no row, and has nothing to put down.
        if (keys.length > 0 && line.every((text) => text.trim() === '')) {
            return [];
        }
        return line.flatMap((text, c): Target[] => {
            const column = columns[c] ?? null;
            if (isShown(c)) {
                return [];
            }
            if (column === null) {
                return [{ place: null, text, remark: noColumn(heading, block[0]?.[c] ?? '', c) }];
            }
            const row = keys.length > 0 ? rowNamed(sheet, heading, line, column)
                : rowCounted(sheet, top + r);
            return [typeof row === 'number' ? { place: { row, column }, text, remark: null }
                : { place: null, text, remark: row }];
        });
    });
}

// Keeps one of equal values for a cell; values that differ are left out.
function withoutContradictions(targets: readonly Target[]): Target[] {
    const given = new Map<string, Set<string>>();
    const keyOf = ({ row, column }: Place): string => `${row}/${column}`;
    for (const { place, text } of targets) {
        if (place) {
            const key = keyOf(place);
            given.set(key, (given.get(key) ?? new Set()).add(text.trim()));
        }
    }
    const met = new Set<string>();
    return targets.flatMap((target): Target[] => {
        const key = target.place && keyOf(target.place);
        if (key === null) {
            return [target];
        }
        if ((given.get(key)?.size ?? 0) > 1) {
            return [{ ...target, remark: remark('given_twice') }];
        }
        const again = met.has(key);
        met.add(key);
        return again ? [] : [target];
    });
}

// Returns why a text cannot stand in a cell; null: it can. Its meaning is for the service to judge.
function unfit(column: Column | undefined, text: string): Remark | null {
    if (/[\r\n]/.test(text)) {
        return remark('several_lines');
    }
    if (UNSEEN.test(text)) {
        return remark('unseen_characters');
    }
    if (column && text.length > column.length) {
        return remark('too_long', { length: column.length });
    }
    return null;
}

function closed(sheet: Sheet, place: Place): Remark | null {
    const cell = cellAt(sheet, place);
    if (cell?.id === '') {
        return remark('not_ordered');
    }
    return cell?.base.lock ? remark('locked', { why: cell.base.lock }) : null;
}

function decide(sheet: Sheet, target: Target, comma: Comma): Change | PasteRemark | null {
    const text = target.text.trim();
    if (target.remark || !target.place) {
        const why = target.remark ?? remark('beyond_last_row');
        return text === '' ? null : { ...why, place: target.place, given: text };
    }
    const { place } = target;
    const column = sheet.columns[place.column];
    const against = closed(sheet, place) ?? unfit(column, text);
    if (against) {
        const asItIs = text === '' || cellAt(sheet, place)?.content.typed === text;
        return asItIs ? null : { ...against, place, given: text };
    }
    const point = comma === 'point' && isNumeric(sheet.rows[place.row], column) && COMMA.test(text);
    return { place, content: { typed: point ? text.replace(',', '.') : text } };
}

function commas(sheet: Sheet, targets: readonly Target[]): string[] {
    return targets
        .filter(({ place, text, remark: why }) =>
            place && !why && isNumeric(sheet.rows[place.row], sheet.columns[place.column])
                && COMMA.test(text))
        .map(({ text }) => text.trim());
}

// Decides what pasting a text over the selected area would do. A heading that somebody has
// chosen comes before the one that is found.
export function planPaste(
    sheet: Sheet, text: string, area: Area, comma: Comma, chosen?: Heading,
): Plan {
    const block = text.length > CHARACTERS ? [] : readTsv(text);
    const cells = block.reduce((sum, row) => sum + row.length, 0);
    if (text.length > CHARACTERS || cells > CELLS) {
        return { kind: 'refused', remark: remark('too_large', { cells: CELLS }) };
    }
    if (block.length === 0) {
        return { kind: 'refused', remark: remark('nothing_to_paste') };
    }
    const heading = chosen ?? headingOf(sheet, block, area.left);
    const targets = heading
        ? withoutContradictions(byHeading(sheet, block, heading, area.top))
        : byPlace(sheet, block, area);
    const examples = comma === 'ask' ? commas(sheet, targets) : [];
    if (examples.length > 0) {
        return { kind: 'comma', examples: examples.slice(0, 3) };
    }
    const decided = targets.flatMap((target) => decide(sheet, target, comma) ?? []);
    return {
        kind: 'planned',
        changes: decided.filter((one): one is Change => 'content' in one),
        remarks: decided.filter((one): one is PasteRemark => 'code' in one),
        given: targets.filter((target) => target.text.trim() !== '').length,
        area: heading ? null : covered(sheet, targets),
    };
}

function covered(sheet: Sheet, targets: readonly Target[]): Area | null {
    const places = targets.flatMap(({ place }) => place ?? []);
    const rows = places.map(({ row }) => row);
    const columns = places.map(({ column }) => column);
    return places.length === 0
        ? null
        : {
              top: min(rows),
              left: min(columns),
              bottom: Math.min(max(rows), sheet.grow ? Infinity : sheet.rows.length - 1),
              right: max(columns),
          };
}

function min(numbers: readonly number[]): number {
    return numbers.reduce((least, number) => Math.min(least, number), Infinity);
}

function max(numbers: readonly number[]): number {
    return numbers.reduce((most, number) => Math.max(most, number), 0);
}

// SPDX-License-Identifier: Apache-2.0
//
// Plans a paste before anything is changed: the changes, which are one step, and a remark for each
// cell that is left out. No value is guessed: the person is asked what a comma means.
import { type Area, type Column, type Place, type Remark, type Sheet, cellAt, isNumeric } from './sheet.ts';
import type { Change } from './model.ts';
import { type Heading, headingOf } from './heading.ts';
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

// Returns the row of a pasted line: by its label, if it has one, else counted from the cursor.
function rowOf(sheet: Sheet, heading: Heading, line: readonly string[], at: number): number | null {
    if (heading.label === null) {
        return at < sheet.rows.length || sheet.grow ? at : null;
    }
    return heading.rows.get((line[heading.label] ?? '').trim().toUpperCase()) ?? null;
}

function byHeading(sheet: Sheet, block: string[][], heading: Heading, top: number): Target[] {
    return block.slice(heading.lines).flatMap((line, r) => {
        const row = rowOf(sheet, heading, line, top + r);
        const label = heading.label === null ? '' : (line[heading.label] ?? '');
        return line.flatMap((text, c): Target[] => {
            const column = heading.columns[c];
            if (c === heading.label || heading.facts.has(c)) {
                return [];
            }
            if (column === undefined || column === null) {
                const name = block[0]?.[c] ?? '';
                const why = heading.lines > 0
                    ? remark('no_such_column', { name })
                    : remark('beyond_last_column');
                return [{ place: null, text, remark: why }];
            }
            if (row === null) {
                const why = remark(label ? 'no_such_row' : 'beyond_last_row', { label });
                return [{ place: null, text, remark: why }];
            }
            return [{ place: { row, column }, text, remark: null }];
        });
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
        return text === '' ? null : { ...why, place: null, given: text };
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
        .filter(({ place, text }) =>
            place && isNumeric(sheet.rows[place.row], sheet.columns[place.column])
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
        ? byHeading(sheet, block, heading, area.top)
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

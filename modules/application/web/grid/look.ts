// SPDX-License-Identifier: Apache-2.0
//
// Appearance of a cell, by its state: in conflict, refused, being sent, locked, or as the service
// judged it. The first state that applies is shown.
import {
    type Cell, type Place, type Row, type Sheet,
    isEdited, isReturned, needsReason, opinionOf,
} from './sheet.ts';

export type Kind =
    | 'conflict' | 'refused' | 'reason' | 'waiting' | 'saving' | 'locked' | 'returned' | 'outside'
    | 'attention' | 'within' | 'plain';

export interface Look {
    readonly kind: Kind;
    // A few letters in place of a glyph.
    readonly word: string;
    // Reason, in the service's words.
    readonly messages: readonly string[];
}

function look(kind: Kind, messages: readonly string[] = [], word = ''): Look {
    return { kind, word, messages };
}

function judgedLook(sheet: Sheet, cell: Cell): Look {
    const opinion = cell.content.typed === '' ? null : opinionOf(sheet, cell);
    return opinion === null || opinion.mark === 'none'
        ? look('plain', opinion?.messages ?? [])
        : look(opinion.mark, opinion.messages, opinion.word);
}

export function lookOf(sheet: Sheet, cell: Cell): Look {
    if (cell.theirs) {
        return look('conflict');
    }
    if (cell.phase === 'refused') {
        return look('refused', [cell.refusal]);
    }
    if (cell.phase === 'waiting' || cell.phase === 'saving') {
        return look(cell.phase);
    }
    const judged = judgedLook(sheet, cell);
    if (isReturned(cell)) {
        return look('returned', [cell.base.returned ?? '', ...judged.messages]);
    }
    if (judged.kind === 'refused' || !isEdited(cell)) {
        return cell.base.lock ? look('locked', [cell.base.lock, ...judged.messages]) : judged;
    }
    return needsReason(sheet, cell) ? look('reason', judged.messages) : judged;
}

// A cell that needs attention, in the list that F8 walks through.
export interface Problem {
    readonly place: Place;
    readonly cell: Cell;
    readonly look: Look;
}

const LOOKED_AT: ReadonlySet<Kind> = new Set<Kind>(
    ['conflict', 'refused', 'reason', 'waiting', 'returned', 'outside', 'attention']);

export function isProblem(kind: Kind): boolean {
    return LOOKED_AT.has(kind);
}

type Found = readonly { readonly column: number; readonly cell: Cell; readonly look: Look }[];

interface Kept {
    readonly settings: Sheet['settings'];
    readonly found: Found;
}

// Cache of the problems of each row, valid as long as neither row nor settings change.
const kept = new WeakMap<Row, Kept>();

function problemsOf(sheet: Sheet, row: Row): Found {
    const before = kept.get(row);
    if (before?.settings === sheet.settings) {
        return before.found;
    }
    const found = row.cells
        .map((cell, column) => ({ column, cell, look: lookOf(sheet, cell) }))
        .filter((one) => isProblem(one.look.kind));
    kept.set(row, { settings: sheet.settings, found });
    return found;
}

// The problems of a sheet in the order of its rows.
export function problems(sheet: Sheet): Problem[] {
    return sheet.rows.flatMap((row, index) => problemsOf(sheet, row).map(
        ({ column, ...rest }) => ({ place: { row: index, column }, ...rest })));
}

export interface Sum {
    readonly entered: number;
    readonly empty: number;
    readonly edited: number;
}

const sums = new WeakMap<Row, Sum>();

function sumOf(row: Row): Sum {
    const before = sums.get(row);
    if (before) {
        return before;
    }
    const cells = row.cells.filter((cell) => cell.id !== '');
    const sum = {
        entered: cells.filter((cell) => cell.content.typed !== '').length,
        empty: cells.filter((cell) => cell.content.typed === '').length,
        edited: cells.filter(isEdited).length,
    };
    sums.set(row, sum);
    return sum;
}

// Counts the cells with a value, without one, and not yet saved.
export function sum(sheet: Sheet): Sum {
    return sheet.rows.map(sumOf).reduce((all, one) => ({
        entered: all.entered + one.entered,
        empty: all.empty + one.empty,
        edited: all.edited + one.edited,
    }), { entered: 0, empty: 0, edited: 0 });
}

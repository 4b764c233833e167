// SPDX-License-Identifier: Apache-2.0
//
// Movement of the cursor and of the selection.
import { type Area, type Cell, type Place, type Sheet, areaOf, cellAt, isOpen, isReturned } from './sheet.ts';
import type { Direction } from './keys.ts';

// The cell with the cursor, and the opposite corner of the selection.
export interface Cursor {
    readonly at: Place;
    readonly from: Place;
}

export function cursorAt(at: Place): Cursor {
    return { at, from: at };
}

export function selected(cursor: Cursor): Area {
    return areaOf(cursor.at, cursor.from);
}

// Moves the cursor to a place, or extends the selection to it.
export function to(cursor: Cursor, at: Place, extend: boolean): Cursor {
    return extend ? { at, from: cursor.from } : cursorAt(at);
}

function clampToSheet(sheet: Sheet, place: Place): Place {
    return {
        row: Math.max(0, Math.min(place.row, sheet.rows.length - 1)),
        column: Math.max(0, Math.min(place.column, sheet.columns.length - 1)),
    };
}

const STEP: Readonly<Record<Direction, Place>> = {
    up: { row: -1, column: 0 },
    down: { row: 1, column: 0 },
    left: { row: 0, column: -1 },
    right: { row: 0, column: 1 },
};

function beside(sheet: Sheet, place: Place, step: Place): Place {
    return clampToSheet(sheet, { row: place.row + step.row, column: place.column + step.column });
}

function isSame(a: Place, b: Place): boolean {
    return a.row === b.row && a.column === b.column;
}

function isFilled(sheet: Sheet, place: Place): boolean {
    return (cellAt(sheet, place)?.content.typed ?? '') !== '';
}

// Jumps as a spreadsheet does: to the last filled cell of a block, else to the next filled one.
function farFrom(sheet: Sheet, place: Place, step: Place): Place {
    let at = beside(sheet, place, step);
    const through = isFilled(sheet, place) && isFilled(sheet, at);
    for (let next = beside(sheet, at, step); !isSame(next, at); next = beside(sheet, at, step)) {
        if (through ? !isFilled(sheet, next) : isFilled(sheet, at)) {
            break;
        }
        at = next;
    }
    return at;
}

// Returns the neighbouring cell, or, with Control, the last one that a jump reaches.
export function moved(sheet: Sheet, place: Place, direction: Direction, far: boolean): Place {
    const step = STEP[direction];
    return far ? farFrom(sheet, place, step) : beside(sheet, place, step);
}

// Returns the cell a page of rows further up or down.
export function paged(sheet: Sheet, place: Place, rows: number): Place {
    return clampToSheet(sheet, { row: place.row + rows, column: place.column });
}

// Returns the first or last cell of the row, or of the sheet.
export function edge(sheet: Sheet, place: Place, end: boolean, whole: boolean): Place {
    const last = { row: sheet.rows.length - 1, column: sheet.columns.length - 1 };
    const corner = end ? last : { row: 0, column: 0 };
    return whole ? corner : { row: place.row, column: corner.column };
}

// Returns the next open cell of the column; if there is none, the same cell.
export function nextInColumn(sheet: Sheet, place: Place, back: boolean): Place {
    const step = back ? -1 : 1;
    for (let row = place.row + step; row >= 0 && row < sheet.rows.length; row += step) {
        if (isOpen(cellAt(sheet, { row, column: place.column }))) {
            return { row, column: place.column };
        }
    }
    return place;
}

// Returns the next cell, row by row, that meets a condition; null: none follows.
export function nextWhere(
    sheet: Sheet,
    place: Place,
    back: boolean,
    holds: (cell: Cell) => boolean,
): Place | null {
    const width = sheet.columns.length;
    const step = back ? -1 : 1;
    const last = sheet.rows.length * width;
    for (let at = place.row * width + place.column + step; at >= 0 && at < last; at += step) {
        const next = { row: Math.floor(at / width), column: at % width };
        const cell = cellAt(sheet, next);
        if (cell && holds(cell)) {
            return next;
        }
    }
    return null;
}

// Returns the next open cell in reading order; null: Tab leaves the grid.
export function nextOpen(sheet: Sheet, place: Place, back: boolean): Place | null {
    return nextWhere(sheet, place, back, isOpen);
}

// Returns the cell at which a grid is entered: the first open cell that is empty or was sent back,
// else the first cell.
export function entrance(sheet: Sheet): Place {
    const before = { row: 0, column: -1 };
    const waits = (cell: Cell): boolean => isOpen(cell)
        && (cell.content.typed === '' || isReturned(cell));
    return nextWhere(sheet, before, false, waits) ?? { row: 0, column: 0 };
}

// SPDX-License-Identifier: Apache-2.0
//
// Copying from a sheet to the clipboard, and filling down.
import { type Area, type Place, type Sheet, cellAt, isOpen, placesOf } from './sheet.ts';
import type { Change } from './model.ts';
import { writeTsv } from './tsv.ts';

function typedAt(sheet: Sheet, place: Place): string {
    return cellAt(sheet, place)?.content.typed ?? '';
}

// The selected cells as spreadsheets read them, with every value as it was typed.
export function copied(sheet: Sheet, area: Area): string {
    const rows: string[][] = [];
    for (const place of placesOf(area)) {
        (rows[place.row - area.top] ??= []).push(typedAt(sheet, place));
    }
    return writeTsv(rows);
}

// Empties the selected cells that are open.
export function cleared(sheet: Sheet, area: Area): Change[] {
    return placesOf(area)
        .filter((place) => isOpen(cellAt(sheet, place)))
        .map((place) => ({ place, content: { typed: '' } }));
}

// Repeats the top row of the selection down to its end; of one row, the row above it.
export function filledDown(sheet: Sheet, area: Area): Change[] {
    const source = area.top === area.bottom ? area.top - 1 : area.top;
    if (source < 0) {
        return [];
    }
    return placesOf({ ...area, top: source + 1 })
        .filter((place) => isOpen(cellAt(sheet, place)))
        .map((place) => {
            const typed = typedAt(sheet, { row: source, column: place.column });
            return { place, content: { typed } };
        });
}

// SPDX-License-Identifier: Apache-2.0
//
// Adds to a sheet what the same run has besides when it is read again: rows below, columns
// behind, tests that were ordered since. What stands there keeps its place.
import { placesById } from './answers.ts';
import { type Cell, EMPTY, type Row, type Sheet, cellOf } from './sheet.ts';

const none = cellOf('', EMPTY);

const isNone = (cell: Cell | undefined): boolean => cell === undefined || cell.id === '';

// Returns the cells of a row that a sheet does not have, in the order of these columns.
function newCells(sheet: Sheet, next: Sheet, keys: readonly string[]): (row: Row) => Cell[] {
    const known = placesById(sheet);
    const from = keys.map((key) => next.columns.findIndex((column) => column.key === key));
    return (row) => from.map((index) => {
        const cell = row.cells[index];
        return cell && !known.has(cell.id) ? cell : none;
    });
}

export function extended(sheet: Sheet, next: Sheet): Sheet {
    const newest = new Map(next.columns.map((column) => [column.key, column]));
    const known = sheet.columns.map((column) => newest.get(column.key) ?? column);
    known.forEach(({ key }) => newest.delete(key));
    const columns = [...known, ...newest.values()];
    const cellsOf = newCells(sheet, next, columns.map(({ key }) => key));
    const rows = new Map(sheet.rows.map((row) =>
        [row.key, { ...row, cells: columns.map((_, c) => row.cells[c] ?? none) }]));
    for (const row of next.rows) {
        const cells = cellsOf(row);
        const here = rows.get(row.key);
        const [first] = cells.filter((cell) => !isNone(cell));
        if (here && cells.every((cell, c) => isNone(cell) || isNone(here.cells[c]))) {
            rows.set(row.key, { ...here,
                cells: here.cells.map((cell, c) => isNone(cell) ? cells[c] ?? cell : cell) });
        } else if (first) {
            const key = here ? `${row.key} ${first.id}` : row.key;
            rows.set(key, { ...row, key, cells });
        }
    }
    return { ...sheet, columns, rows: [...rows.values()] };
}

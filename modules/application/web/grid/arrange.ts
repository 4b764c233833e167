// SPDX-License-Identifier: Apache-2.0
//
// Rearranges the cells of a sheet: samples as rows, samples as columns, or a row for each test. The
// cells themselves, and the steps that undo goes through, move along.
import type { Act, State } from './acts.ts';
import { placesById } from './answers.ts';
import { cursorAt, entrance } from './cursor.ts';
import { type Step, leave } from './model.ts';
import {
    type Cell, type Column, type Order, type Place, type Row, type Sheet, cellAt, titleOf,
} from './sheet.ts';
import { t } from '../texts/texts.ts';

const texts = t.grid;
const { heads } = texts.order;

const TEST = [
    { title: heads.test, className: 'w-short' },
    { title: heads.name, className: 'w-name p3' },
    { title: heads.limit, className: 'w-name p2' },
];

// The name of a row stands twice where a test was done again: then it names nothing.
function namesOf(rows: readonly Row[]): (row: Row) => string {
    const labels = rows.map(({ label }) => label);
    const twice = new Set(labels.filter((label, i) => labels.indexOf(label) !== i));
    return ({ label }) => twice.has(label) ? '' : label;
}

const asRow = (column: Column, index: number, rows: readonly Row[]): Row => ({
    key: column.key,
    label: titleOf(column),
    kind: 'sample',
    facts: [column.name, column.hint],
    cells: rows.flatMap((row) => row.cells[index] ?? []),
    numeric: column.numeric,
});

function turned(sheet: Sheet): Sheet {
    const nameOf = namesOf(sheet.rows);
    return {
        ...sheet,
        order: 'columns',
        heads: TEST,
        columns: sheet.rows.map((row) => ({
            key: row.key,
            title: row.label,
            name: nameOf(row),
            aliases: [],
            hint: row.facts.filter(Boolean).join(', '),
            numeric: false,
            length: sheet.columns[0]?.length ?? 0,
            className: 'w-id',
            kind: row.kind,
        })),
        rows: sheet.columns.map((column, index) => asRow(column, index, sheet.rows)),
    };
}

// Lays a sheet out as a list: a row for each ordered test, those of a sample below one another.
function listed(sheet: Sheet): Sheet {
    const [first] = sheet.heads;
    const rows = sheet.rows.flatMap((row) => row.cells.flatMap((cell, index): Row[] => {
        const column = sheet.columns[index];
        return cell.id === '' || !column ? [] : [{
            key: cell.id,
            label: row.label,
            kind: row.kind,
            facts: [titleOf(column), column.name, cell.base.limit || column.hint],
            cells: [cell],
            numeric: column.numeric,
        }];
    }));
    return {
        ...sheet,
        order: 'list',
        heads: [...first ? [first] : [], ...TEST],
        columns: [{ key: heads.result, name: heads.result, aliases: [], hint: '',
            numeric: false, length: sheet.columns[0]?.length ?? 0 }],
        rows,
    };
}

// Returns a sheet of rows of samples in another order.
export function laidOut(sheet: Sheet, order: Order): Sheet {
    switch (order) {
        case 'columns':
            return turned(sheet);
        case 'list':
            return listed(sheet);
        default:
            return sheet;
    }
}

function filled(layout: Sheet, now: Sheet): Sheet {
    const cells = new Map<string, Cell>(now.rows.flatMap((row) =>
        row.cells.map((cell) => [cell.id, cell] as const)));
    cells.delete('');
    return {
        ...layout,
        settings: now.settings,
        rows: layout.rows.map((row) =>
            ({ ...row, cells: row.cells.map((cell) => cells.get(cell.id) ?? cell) })),
    };
}

// Puts the cells of a state into a layout of the same records, and of others besides.
function relaid(state: State, layout: Sheet): State {
    const { sheet: before, ...model } = state.model;
    const sheet = filled(layout, before);
    const places = placesById(sheet);
    const moved = (place: Place): Place | undefined =>
        places.get(cellAt(before, place)?.id ?? '');
    const along = (steps: readonly Step[]): Step[] => steps.map((step) =>
        step.flatMap((effect) => {
            const place = moved(effect.place);
            return place ? [{ ...effect, place }] : [];
        }));
    return {
        ...state,
        model: { sheet, done: along(model.done), undone: along(model.undone),
            typing: model.typing && (moved(model.typing) ?? null) },
        cursor: cursorAt(moved(state.cursor.at) ?? entrance(sheet)),
        remarks: state.remarks.map((remark) =>
            ({ ...remark, place: remark.place && (moved(remark.place) ?? null) })),
    };
}

// Lays the cells of a state out in another order.
export function arrange(layout: Sheet): Act {
    return (state: State): State =>
        relaid({ ...state, model: leave(state.model), mode: 'ready' }, layout);
}

// Takes a layout that has more records. Whoever types in a cell goes on.
export function widen(layout: Sheet): Act {
    return (state: State): State => {
        const { cursor: { at }, model } = state;
        const next = relaid(state, layout);
        const here = cellAt(model.sheet, at);
        const { row, column } = next.cursor.at;
        const stays = here?.id === '' || row === at.row && column === at.column;
        return stays ? { ...next, cursor: state.cursor } : next;
    };
}

// Returns the accessible name of a cell: its test and its sample, whatever the arrangement.
export function cellName(row: Row, column: Column, index: number): string {
    if (column.kind) {
        return texts.cell(row.facts[0] ?? row.label, titleOf(column));
    }
    return row.numeric === undefined
        ? texts.cell(column.name, row.label || texts.rowName(index + 1))
        : texts.cell(row.facts[1] ?? '', row.label);
}

// Returns the label of a cell besides its row number: its test, or its column's title.
export function testAt({ order, rows, columns }: Sheet, { row, column }: Place): string {
    const [test] = rows[row]?.facts ?? [];
    const head = columns[column];
    return order === 'list' ? test ?? '' : head ? titleOf(head) : '';
}

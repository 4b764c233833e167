// SPDX-License-Identifier: Apache-2.0
//
// The same cells with samples as rows, as columns, and a row for each test: nothing that was
// typed, undone or left out by a paste is lost on the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, paste, point, press, type } from '../../../../modules/application/web/grid/acts.ts';
import type { State } from '../../../../modules/application/web/grid/acts.ts';
import {
    arrange, cellName, laidOut, testAt,
} from '../../../../modules/application/web/grid/arrange.ts';
import {
    EMPTY, type Order, type Sheet, cellAt, cellOf, isNumeric, kindOf,
} from '../../../../modules/application/web/grid/sheet.ts';
import { at, column, row, sheet, typedIn } from './support.ts';

// Two samples and a control, of which NOTE was not ordered for the second sample.
function run(): Sheet {
    const [ph, note] = [column('PH', { name: 'pH', hint: '6.5 to 8.5' }),
        column('NOTE', { name: 'Appearance', numeric: false })];
    const second = row(2, 2);
    return sheet(3, [ph, note], { rows: [
        row(0, 2, { label: 'LFB', kind: 'control' }), row(1, 2),
        { ...second, cells: [...second.cells.slice(0, 1), cellOf('', EMPTY)] },
    ] });
}

const to = (order: Order) => arrange(laidOut(run(), order));
const typed = (state: State, r: number, c: number, text: string): State =>
    type(text)(point(at(r, c), false)(state));
const grid = (state: State): string[][] => typedIn(state.model.sheet);
const undone = (state: State): State => press(state, { do: 'undo' }, 1) ?? state;

test('samples as columns: tests are rows, and what was typed goes along', () => {
    const state = to('columns')(typed(begin(run()), 1, 0, '7.10'));
    assert.deepEqual(grid(state), [['', '7.10', ''], ['', '', '']]);
    assert.deepEqual(state.model.sheet.columns.map(({ title }) => title),
        ['LFB', 'CB-26-0000101-X', 'CB-26-0000102-X']);
    assert.deepEqual(state.cursor.at, at(0, 1), 'the cursor stays in its cell');
    assert.deepEqual(grid(undone(state)), [['', '', ''], ['', '', '']], 'entering can be undone');
});

test('a row for each test that was ordered, those of a sample below one another', () => {
    const state = to('list')(typed(begin(run()), 2, 0, '7.2'));
    const { rows } = state.model.sheet;
    assert.deepEqual(rows.map(({ label, facts }) => `${label} ${facts[0]}`), ['LFB PH', 'LFB NOTE',
        'CB-26-0000101-X PH', 'CB-26-0000101-X NOTE', 'CB-26-0000102-X PH']);
    assert.deepEqual(grid(state), [[''], [''], [''], [''], ['7.2']]);
    assert.deepEqual(state.cursor.at, at(4, 0));
});

test('there and back again: cells, steps and cursor are as they were', () => {
    const before = typed(undone(typed(typed(begin(run()), 1, 0, '7'), 2, 0, '8')), 1, 1, 'clear');
    const there = to('list')(to('columns')(before));
    const back = to('rows')(there);
    assert.deepEqual(grid(back), grid(before));
    assert.deepEqual(back.model.sheet.rows.map(({ cells }) => cells),
        before.model.sheet.rows.map(({ cells }) => cells));
    assert.deepEqual(back.model.done, before.model.done);
    assert.deepEqual(back.cursor, before.cursor);
});

test('what was undone in one view is done again in the other', () => {
    const state = to('columns')(undone(typed(begin(run()), 2, 0, '8.1')));
    assert.equal(grid(press(state, { do: 'redo' }, 1) ?? state)[0]?.[2], '8.1');
});

test('a cell where nothing was ordered has no row: the cursor goes to the first open one', () => {
    const state = to('list')(point(at(2, 1), false)(begin(run())));
    assert.deepEqual(state.cursor.at, at(0, 0));
});

test('a block pasted across is placed by its headings', () => {
    const block = 'Test\tCB-26-0000102-X\tCB-26-0000101-X\nPH\t7,5\t6.9';
    const asked = paste(block)(to('columns')(begin(run())));
    assert.deepEqual(asked.asking?.examples, ['7,5'], 'the row says that its values are numbers');
    const state = paste(block)({ ...to('columns')(begin(run())), comma: 'point' });
    assert.deepEqual(grid(state)[0], ['', '6.9', '7.5']);
});

test('in a list a block is placed by sample and test', () => {
    const [one, two] = [row(1, 1).label, row(2, 1).label];
    const after = (block: string): State => paste(block)(to('list')(begin(run())));
    const lines = `${two}\tPH\t7.5\n${one}\tNOTE\tclear\n${one}\tpH\t6.9`;
    for (const block of [`Tracking id\tTest\tResult\n${lines}`, `Sample\tAnalyte\tResult\n${lines}`, lines]) {
        assert.deepEqual(grid(after(block)), [[''], [''], ['6.9'], ['clear'], ['7.5']], block);
        assert.deepEqual(after(block).remarks, [], block);
    }
    const codes = (block: string): string[] => after(block).remarks.map(({ code }) => code);
    assert.deepEqual(codes(`Tracking id\tTest\tResult\n${two}\tNOTE\tx\n${two}\t\t5`),
        ['no_such_row', 'no_label']);
    assert.deepEqual(codes(`Tracking id\tResult\n${one}\t5\n${two}\t7`), ['several_rows']);
    assert.deepEqual(codes(`Tracking id\tPH\tNOTE\n${one}\t7\tx`),
        ['no_such_column', 'no_such_column'], 'a block of samples as rows');
    assert.deepEqual(codes('Test\tResult\nPH\t5'), ['several_rows'], 'a test of several samples');
});

test('a block pasted across may say the names of the tests', () => {
    const block = `Name\t${row(1, 1).label}\nLead\t1\nAppearance\tclear`;
    const state = paste(block)(to('columns')(begin(run())));
    assert.deepEqual(grid(state), [['', '', ''], ['', 'clear', '']]);
    assert.deepEqual(state.remarks.map(({ code }) => code), ['no_such_row']);
});

test('a cell is called by its test and its sample in every view', () => {
    for (const [order, place] of [['rows', at(1, 0)], ['columns', at(0, 1)], ['list', at(2, 0)]] as const) {
        const { sheet: now } = to(order)(begin(run())).model;
        const [one, head] = [now.rows[place.row], now.columns[place.column]];
        assert.ok(one && head);
        assert.equal(cellName(one, head, place.row), 'pH of CB-26-0000101-X', order);
        assert.equal(isNumeric(one, head), true, order);
        assert.equal(cellAt(now, place)?.id, 'r1c0', order);
        assert.equal(testAt(now, place), order === 'columns' ? 'CB-26-0000101-X' : 'PH', order);
    }
});

test('controls are controls in every view', () => {
    for (const [order, place] of [['rows', at(0, 0)], ['columns', at(0, 0)], ['list', at(1, 0)]] as const) {
        const { rows, columns } = to(order)(begin(run())).model.sheet;
        const one = rows[place.row];
        assert.equal(one && kindOf(one, columns[place.column]), 'control', order);
    }
});

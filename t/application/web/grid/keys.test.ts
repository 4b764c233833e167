// SPDX-License-Identifier: Apache-2.0
//
// Keys of the grid, and movements of its cursor.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    cursorAt, edge, entrance, moved, nextInColumn, nextOpen, nextWhere, paged, selected, to,
} from '../../../../modules/application/web/grid/cursor.ts';
import { type Mode, commandOf } from '../../../../modules/application/web/grid/keys.ts';
import { at, having, sheet, version } from './support.ts';

function press(keys: string, mode: Mode = 'ready', composing = false) {
    const parts = keys.split('+');
    return commandOf({
        key: parts.at(-1) ?? '',
        ctrl: parts.includes('Ctrl'),
        shift: parts.includes('Shift'),
        alt: parts.includes('Alt'),
        composing,
    }, mode);
}

const commands: [string, unknown][] = [
    ['ArrowDown', { do: 'move', to: 'down', extend: false, far: false }],
    ['Shift+ArrowLeft', { do: 'move', to: 'left', extend: true, far: false }],
    ['Ctrl+ArrowUp', { do: 'move', to: 'up', extend: false, far: true }],
    ['Enter', { do: 'next', by: 'row', back: false }],
    ['Shift+Enter', { do: 'next', by: 'row', back: true }],
    ['Tab', { do: 'next', by: 'column', back: false }],
    ['Shift+Tab', { do: 'next', by: 'column', back: true }],
    ['Home', { do: 'edge', end: false, whole: false, extend: false }],
    ['Ctrl+End', { do: 'edge', end: true, whole: true, extend: false }],
    ['PageDown', { do: 'page', down: true, extend: false }],
    ['F2', { do: 'edit' }],
    ['F6', { do: 'leave', back: false }],
    ['F8', { do: 'problem', back: false }],
    ['Shift+F8', { do: 'problem', back: true }],
    ['F9', { do: 'reason' }],
    ['Escape', { do: 'restore' }],
    ['Delete', { do: 'clear' }],
    ['Ctrl+z', { do: 'undo' }],
    ['Ctrl+Shift+Z', { do: 'redo' }],
    ['Ctrl+y', { do: 'redo' }],
    ['Ctrl+s', { do: 'save' }],
    ['Ctrl+d', { do: 'fill' }],
    ['Ctrl+Enter', { do: 'confirm' }],
    ['Ctrl+a', { do: 'selectAll' }],
    ['7', null],
    ['Ctrl+c', null],
    ['Ctrl+v', null],
    ['Alt+ArrowLeft', null],
];

test('keys of a cell that is ready', () => {
    for (const [keys, command] of commands) {
        assert.deepEqual(press(keys), command, keys);
    }
});

test('while a value is replaced arrows go on, and Delete is the text\'s', () => {
    assert.equal(press('ArrowRight', 'typing')?.do, 'move');
    assert.equal(press('Backspace', 'typing'), null);
});

test('while the caret moves, arrows are the text\'s, and Enter still ends', () => {
    for (const keys of ['ArrowLeft', 'ArrowUp', 'Home', 'Delete', 'Ctrl+a', 'Shift+ArrowRight']) {
        assert.equal(press(keys, 'editing'), null, keys);
    }
    assert.equal(press('Enter', 'editing')?.do, 'next');
    assert.deepEqual(press('F2', 'editing'), { do: 'ready' });
});

test('an input method has every key', () => {
    for (const [keys] of commands) {
        assert.equal(press(keys, 'typing', true), null, keys);
    }
});

test('the cursor stays within the sheet', () => {
    const given = sheet(3, ['A', 'B']);
    assert.deepEqual(moved(given, at(0, 0), 'up', false), at(0, 0));
    assert.deepEqual(moved(given, at(2, 1), 'right', false), at(2, 1));
    assert.deepEqual(paged(given, at(1, 0), 20), at(2, 0));
    assert.deepEqual(edge(given, at(1, 0), true, false), at(1, 1));
    assert.deepEqual(edge(given, at(1, 1), false, true), at(0, 0));
});

test('Control goes to the end of what is filled, or to the next of it', () => {
    const given = having(sheet(6, ['A']), { r0c0: version('1'), r1c0: version('2'), r4c0: version('3') });
    assert.deepEqual(moved(given, at(0, 0), 'down', true), at(1, 0));
    assert.deepEqual(moved(given, at(1, 0), 'down', true), at(4, 0));
    assert.deepEqual(moved(given, at(4, 0), 'down', true), at(5, 0));
    assert.deepEqual(moved(given, at(5, 0), 'up', true), at(4, 0));
});

test('Enter and Tab pass by cells that take nothing', () => {
    const given = having(sheet(3, ['A', 'B']), { r1c0: version('1', { lock: 'verified' }) });
    assert.deepEqual(nextInColumn(given, at(0, 0), false), at(2, 0));
    assert.deepEqual(nextInColumn(given, at(2, 0), false), at(2, 0), 'at the end it stays');
    assert.deepEqual(nextOpen(given, at(0, 1), false), at(1, 1));
    assert.deepEqual(nextOpen(given, at(1, 1), true), at(0, 1));
    assert.equal(nextOpen(given, at(2, 1), false), null, 'behind the last, Tab leaves the grid');
    assert.equal(nextOpen(given, at(0, 0), true), null);
});

test('the next problem, and where a grid is entered', () => {
    const given = having(sheet(3, ['A', 'B']), { r0c0: version('1'), r0c1: version('2'), r2c0: version('9') });
    const nine = (cell: { content: { typed: string } }) => cell.content.typed === '9';
    assert.deepEqual(nextWhere(given, at(0, 0), false, nine), at(2, 0));
    assert.equal(nextWhere(given, at(2, 0), false, nine), null);
    assert.deepEqual(nextWhere(given, at(2, 1), true, nine), at(2, 0));
    assert.deepEqual(entrance(given), at(1, 0));
    assert.deepEqual(entrance(having(sheet(1, ['A']), { r0c0: version('1') })), at(0, 0));
});

test('a selection is a rectangle from where it began', () => {
    const cursor = to(to(cursorAt(at(2, 1)), at(0, 0), true), at(1, 0), true);
    assert.deepEqual(selected(cursor), { top: 1, left: 0, bottom: 2, right: 1 });
    assert.deepEqual(selected(to(cursor, at(0, 0), false)), { top: 0, left: 0, bottom: 0, right: 0 });
});

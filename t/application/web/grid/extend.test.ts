// SPDX-License-Identifier: Apache-2.0
//
// A run that has got more since it was opened: what stands in the sheet keeps its place, and so
// does what somebody is typing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { begin, press, type } from '../../../../modules/application/web/grid/acts.ts';
import type { State } from '../../../../modules/application/web/grid/acts.ts';
import { laidOut, widen } from '../../../../modules/application/web/grid/arrange.ts';
import { Desk } from '../../../../modules/application/web/grid/desk.ts';
import { extended } from '../../../../modules/application/web/grid/extend.ts';
import { EMPTY, type Row, type Sheet, cellOf } from '../../../../modules/application/web/grid/sheet.ts';
import { Hands, column, row, sheet, typedIn, version } from './support.ts';

const cells = (...ids: string[]) => ids.map((id) => cellOf(id, id ? version() : EMPTY));
const line = (r: number, ...ids: string[]): Row => row(r, 0, { cells: cells(...ids) });
const idsOf = ({ rows }: Sheet): string[][] => rows.map((one) => one.cells.map(({ id }) => id));

const before = sheet(0, ['PH', 'F'], { rows: [line(1, 'a', 'b'), line(2, 'c', '')] });
// Another sample comes first, a test was ordered besides, another definition stands in front.
const now = sheet(0, ['NO3', 'F', 'PH'],
    { rows: [line(0, 'x', '', 'y'), line(1, 'z', 'b', 'a'), line(2, '', 'd', 'c')] });

test('what a run has besides stands below and behind what was there', () => {
    const next = extended(before, now);
    assert.deepEqual(next.columns.map(({ key }) => key), ['PH', 'F', 'NO3']);
    assert.deepEqual(next.rows.map(({ key }) => key), ['r1', 'r2', 'r0']);
    assert.deepEqual(idsOf(next), [['a', 'b', 'z'], ['c', 'd', ''], ['y', '', 'x']]);
    assert.deepEqual(idsOf(extended(next, now)), idsOf(next), 'what was added is not added again');
    assert.equal(extended(before, sheet(0, [column('PH', { hint: 'limit by sample' })]))
        .columns[0]?.hint, 'limit by sample', 'the head says what holds now');
});

test('a row whose place is taken by another record of its name stands by itself', () => {
    const next = extended(before, sheet(0, ['PH'], { rows: [line(1, 'e')] }));
    assert.deepEqual(idsOf(next), [['a', 'b'], ['c', ''], ['e', '']]);
    assert.equal(new Set(next.rows.map(({ key }) => key)).size, 3, 'under a key of its own');
});

test('whoever types goes on, and can undo it, wherever the cell stands now', () => {
    for (const order of ['rows', 'columns', 'list'] as const) {
        const typing = type('7')(begin(laidOut(before, order)));
        const wide = widen(laidOut(extended(before, now), order))({ ...typing, mode: 'editing' });
        assert.equal(wide.mode, 'editing', order);
        assert.deepEqual(wide.cursor, typing.cursor);
        const on = type('7.1')(wide);
        assert.equal(typedIn(on.model.sheet)[0]?.[0], '7.1');
        const undone = press(on, { do: 'undo' }, 1) as State;
        assert.equal(typedIn(undone.model.sheet)[0]?.[0], '', `${order}: in one step`);
    }
});

test('a desk takes what its run has besides, and keeps what is not saved', () => {
    const desk = new Desk(before, { clock: new Hands(), key: () => 'key',
        judge: () => Promise.resolve({ kind: 'unreachable', retryAfter: null }),
        send: () => Promise.reject(new Error('nothing is sent')) });
    desk.do(type('7.10'));
    desk.arrange('columns');
    assert.ok(!desk.lacks(['a', 'c']) && desk.lacks(['a', 'd']));
    desk.extend(now);
    assert.ok(!desk.lacks(['a', 'd', 'x', 'y', 'z']));
    assert.deepEqual(typedIn(desk.sheet), [['7.10', '', ''], ['', '', ''], ['', '', '']]);
    desk.arrange('rows');
    assert.deepEqual(idsOf(desk.sheet), idsOf(extended(before, now)));
    assert.equal(typedIn(desk.sheet)[0]?.[0], '7.10');
    assert.ok(desk.unsaved);
    desk.close();
});

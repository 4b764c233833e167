// SPDX-License-Identifier: Apache-2.0
//
// The cursor of a list that others change: an act is never about a row that came under it unseen.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nowhere, placed } from '../../../../modules/application/web/table/cursor.ts';
import type { Place } from '../../../../modules/application/web/table/cursor.ts';

const rows = (...ids: number[]): { id: number }[] => ids.map((id) => ({ id }));
const of = ({ id, isMeant }: Place): unknown => [id, isMeant];

test('a list begins at its first row, and keeps it when another comes above', () => {
    const begun = placed(placed(nowhere, [], null), rows(7, 8), null);
    assert.deepEqual(of(begun), [7, true]);
    assert.deepEqual(of(placed(begun, rows(6, 7, 8), null)), [7, true]);
});

test('the row that was left is found again, or else the first', () => {
    assert.deepEqual(of(placed(placed(nowhere, [], 8), rows(7, 8), 8)), [8, true]);
    assert.deepEqual(of(placed(placed(nowhere, [], 9), rows(7, 8), 9)), [7, true]);
});

test('where the row leaves by itself, the one at its place is not meant until it is chosen', () => {
    const at = placed(placed(nowhere, rows(6, 7, 8), null), rows(6, 7, 8), 7);
    const left = placed(at, rows(6, 8), 7);
    assert.deepEqual(of(left), [8, false]);
    assert.deepEqual(of(placed(left, rows(5, 6, 8), 7)), [8, false], 'after the next reading, too');
    assert.deepEqual(of(placed(left, rows(6, 8), 8)), [8, true], 'chosen');
    assert.deepEqual(of(placed(at, rows(6), 7)), [6, false], 'the last row');
});

test('after the person\'s own act the next row is meant', () => {
    const at = placed(placed(nowhere, rows(6, 7, 8), null), rows(6, 7, 8), 7);
    assert.deepEqual(of(placed({ ...at, acted: [7] }, rows(6, 8), 7)), [8, true]);
});

test('an empty list has no row, and begins anew', () => {
    const at = placed(nowhere, rows(7), 7);
    assert.deepEqual(of(placed(at, [], 7)), [null, true]);
    assert.deepEqual(of(placed(placed(at, [], 7), rows(9), 7)), [9, true]);
});

// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { allOrNone, moved, ranged, toggled } from '../../../../modules/application/web/table/selection.ts';

const rows = [7, 5, 3, 1].map((id) => ({ id }));

test('the cursor stays within the list', () => {
    assert.equal(moved(0, -1, 4), 0);
    assert.equal(moved(3, 1, 4), 3);
    assert.equal(moved(1, 1, 4), 2);
    assert.equal(moved(2, -4, 4), 0);
});

test('from nowhere the first step leads to the first row', () => {
    assert.equal(moved(-1, 1, 4), 0);
    assert.equal(moved(-1, -1, 4), 0);
});

test('a second choice takes the first back', () => {
    const once = toggled(new Set([3]), 5);
    assert.deepEqual([...once], [3, 5]);
    assert.deepEqual([...toggled(once, 5)], [3]);
});

test('a range has both ends, in either direction, beside what was selected', () => {
    assert.deepEqual([...ranged(new Set([1]), rows, 0, 1)].sort(), [1, 5, 7]);
    assert.deepEqual([...ranged(new Set(), rows, 2, 0)].sort(), [3, 5, 7]);
});

test('all rows are selected, and none when all are', () => {
    assert.deepEqual([...allOrNone(new Set([3]), rows)], [7, 5, 3, 1]);
    assert.equal(allOrNone(new Set([7, 5, 3, 1]), rows).size, 0);
    assert.equal(allOrNone(new Set(), []).size, 0);
});

// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filterText, searchOf, viewOf, without }
    from '../../../../modules/application/web/pages/samples/query.ts';

const names = {
    projects: new Map([[3, { id: 3, code: 'NPDES', name: 'Outfall' }]]),
    materials: new Map(),
    places: new Map(),
};

test('a view is its address, and back', () => {
    const view = { filters: { q: 'CB-26', priority: 'rush' }, cursor: '40' };
    assert.equal(searchOf(view), '?q=CB-26&priority=rush&cursor=40');
    assert.deepEqual(viewOf(new URLSearchParams(searchOf(view))), view);
    assert.equal(searchOf({ filters: {}, cursor: null }), '');
});

test('what is no filter is not sent to the service', () => {
    assert.deepEqual(viewOf(new URLSearchParams('nonsense=1&q=abc')),
        { filters: { q: 'abc' }, cursor: null });
});

test('one filter is taken away', () => {
    assert.deepEqual(without({ q: 'a', priority: 'rush' }, 'q'), { priority: 'rush' });
});

test('a filter is told in words and names', () => {
    assert.equal(filterText('releaseState', 'ready_to_report', names), 'Readiness: Ready');
    assert.equal(filterText('disposition', 'active,on_hold', names),
        'Disposition: active, on hold');
    assert.equal(filterText('projectId', '3', names), 'Project: Outfall');
});

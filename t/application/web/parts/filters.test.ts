// SPDX-License-Identifier: Apache-2.0
//
// Filters in the address, and in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { askedOf, filterText, filtersIn, searchWith }
    from '../../../../modules/application/web/table/filter.ts';
import type { Filter } from '../../../../modules/application/web/table/filter.ts';

const known: Filter[] = [
    { name: 'q', title: 'Begins with' },
    { name: 'disposition', title: 'Disposition',
        choices: [['active', 'active'], ['on_hold', 'on hold']] },
    { name: 'projectId', title: 'Project', choices: [['3', 'Outfall']] },
    { name: 'since', title: 'Since', day: 'begin' },
    { name: 'to', title: 'To', day: 'end' },
    { name: 'dueBefore', title: 'Due before', day: true },
];

test('filters are an address, and back', () => {
    const filters = { q: 'CB-26', disposition: 'on_hold' };
    assert.equal(searchWith(filters), '?q=CB-26&disposition=on_hold');
    assert.deepEqual(filtersIn(new URLSearchParams(searchWith(filters)), known), filters);
    assert.equal(searchWith({}), '');
});

test('what is no filter is not sent to the service', () => {
    assert.deepEqual(filtersIn(new URLSearchParams('nonsense=1&q=abc'), known), { q: 'abc' });
});

test('a filter is told in words and names, also one of several values', () => {
    const told = (name: string, value: string): string =>
        filterText(known.find((one) => one.name === name) ?? { name, title: '' }, value);
    assert.equal(told('disposition', 'active,on_hold'), 'Disposition: active, on hold');
    assert.equal(told('projectId', '3'), 'Project: Outfall');
    assert.equal(told('q', 'a,b'), 'Begins with: a,b');
    assert.equal(told('since', '2025-01-02'), 'Since: Jan 2, 2025');
});

test('of a day the service is asked for the moments of the laboratory, where it compares moments', () => {
    const asked = (filters: Record<string, string>) => askedOf(filters, known, 'America/Denver');
    assert.deepEqual(asked({ since: '2026-11-24', to: '2026-11-24', dueBefore: '2026-11-24', q: '2026-11-24' }),
        { since: '2026-11-24T07:00:00.000Z', to: '2026-11-25T06:59:59.999Z',
            dueBefore: '2026-11-24', q: '2026-11-24' });
    const others = { since: '2026-11-24T10:00:00Z', to: '2026-13-41' };
    assert.deepEqual(asked(others), others, 'a time, or no day at all, is left to the service');
});

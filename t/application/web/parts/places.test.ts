// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { firstOf } from '../../../../modules/application/web/shell/places.ts';
import type { Place } from '../../../../modules/application/web/shell/places.ts';
import type { Session } from '../../../../modules/application/web/api/session.ts';

const placesAt = (...patterns: string[]): Place[] => patterns.map((pattern, place) =>
    ({ pattern, permission: 'data.read', page: () => null as never,
        rail: { group: 'work', place, title: pattern } }));
const all = placesAt('/samples', '/worklist', '/verify', '/approvals/:id?', '/audit', '/users/:id?');
const begins = (places: Place[], ...roles: string[]): string | undefined =>
    firstOf(places, { roles } as Session)?.pattern;

test('each role begins with the screen it lives in', () => {
    for (const [role, screen] of [['lab_manager', '/verify'], ['qa_officer', '/approvals/:id?'],
        ['analyst', '/worklist'], ['microbiologist', '/worklist'], ['receiving_clerk', '/samples'],
        ['client_services', '/samples'], ['auditor', '/audit'], ['administrator', '/users/:id?'],
        ['system_administrator', '/users/:id?']] as const) {
        assert.equal(begins(all, role), screen, role);
    }
});

test('whoever has several begins with the one nearest to results', () => {
    assert.equal(begins(all, 'administrator', 'analyst'), '/worklist');
    assert.equal(begins(all, 'analyst', 'lab_manager', 'administrator'), '/verify');
});

test('whoever may not see that screen begins with another one', () => {
    const few = placesAt('/samples', '/worklist');
    assert.equal(begins(few, 'lab_manager', 'analyst'), '/worklist');
    assert.equal(begins(few, 'qa_officer'), '/samples');
    assert.equal(begins(few), '/samples');
});

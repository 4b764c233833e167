// SPDX-License-Identifier: Apache-2.0
//
// Values of a worksheet: what is sent of what was typed, and of two who type over one value.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Typed, changesIn, clashesIn, decided, textOf, typedIn, typedSince }
    from '../../../../modules/application/web/pages/worksheets/typing.ts';

const clock = { shown: (moment: string) => moment.slice(0, 16), moment: (text: string) => `${text}:00Z` };
const tare = (value: string | null) => ({ field: 'tare', kind: 'number' as const, value });
const read = (value: string | null) => ({ field: 'read', kind: 'timestamp' as const, value });

test('a value is sent with the one that it replaces', () => {
    const typed = typedIn({}, tare('7.10'), '7.2', clock);
    assert.deepEqual(changesIn([tare('7.10')], typed, clock),
        [{ field: 'tare', value: '7.2', was: '7.10' }]);
    const time = typedIn({}, read(null), '2026-11-24T10:15', clock);
    assert.deepEqual(changesIn([read(null)], time, clock),
        [{ field: 'read', value: '2026-11-24T10:15:00Z', was: null }]);
    assert.deepEqual(changesIn([tare('7.10')], typedIn({}, tare('7.10'), '', clock), clock),
        [{ field: 'tare', value: null, was: '7.10' }]);
});

test('what is typed back is no change', () => {
    const typed = typedIn(typedIn({}, tare('7.10'), '7.1', clock), tare('7.10'), '7.10', clock);
    assert.deepEqual(changesIn([tare('7.10')], typed, clock), []);
    assert.equal(textOf(tare('8'), typed, clock), '8', 'what somebody else enters is shown');
});

test('a computed value is never sent, and what the service computed is shown', () => {
    const net = { field: 'net', kind: 'computed' as const, value: '1.7' };
    const typed = typedIn({}, net, '9.9', clock);
    assert.deepEqual(changesIn([net], typed, clock), []);
    assert.equal(textOf(net, typed, clock), '1.7');
});

test('what is typed while values are saved stays', () => {
    const sent = typedIn({}, tare('1'), '2', clock);
    const changes = changesIn([tare('1')], sent, clock);
    assert.deepEqual(typedSince(sent, sent, changes), {}, 'what was saved is no longer typed');
    const other = typedIn(sent, read(null), '2026-11-24T10:15', clock);
    assert.deepEqual(Object.keys(typedSince(other, sent, changes)), ['read']);
    const same = typedSince(typedIn(sent, tare('1'), '3', clock), sent, changes);
    assert.deepEqual(changesIn([tare('2')], same, clock),
        [{ field: 'tare', value: '3', was: '2' }]);
});

test('of two who type over one value both are seen', () => {
    const typed: Typed = typedIn({}, tare('1'), '2', clock);
    assert.deepEqual(clashesIn([tare('1')], typed, clock), []);
    assert.deepEqual(clashesIn([tare('3')], typed, clock),
        [{ name: 'tare', base: '1', theirs: '3', mine: '2' }]);
    assert.deepEqual(clashesIn([tare('2')], typed, clock), [], 'the same value is no conflict');
    assert.equal(textOf(tare('3'), typed, clock), '2', 'what was typed stays');
    const mine = decided([tare('3')], typed, clock, 'mine');
    assert.deepEqual(changesIn([tare('3')], mine, clock), [{ field: 'tare', value: '2', was: '3' }]);
    assert.deepEqual(decided([tare('3')], typed, clock, 'theirs'), {});
});

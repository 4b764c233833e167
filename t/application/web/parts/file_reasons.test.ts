// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asksForTest, cardAt, cardsOf, columnOf, decisionsOf, isExcluded, letterOf, nameInFile, nextOpen,
    readingsOf, sent, withAlias, withTest, without } from '../../../../modules/application/web/nouns/file-reasons.ts';
import type { Reason } from '../../../../modules/application/web/nouns/file-reasons.ts';

const reason = (row: number | null, code: string, rest: Partial<Reason> = {}): Reason =>
    ({ code, row, severity: 'blocking', message: code, sheet: null, column: null, cell: null,
        expected: null, ...rest });

const flag = reason(6, 'instrument_error_flag', { column: 5, cell: 'Out of range' });
const name = reason(7, 'unknown_tracking_id', { cell: 'EFF 002 rep' });
const decisions = decisionsOf({ decisions: {
    exclude: [{ row: 6, reason: 'too high', by: 4, at: '2026-11-24T19:31:00Z' }],
    aliases: [{ from: 'EFF 002 rep', to: 'CB-1', reason: 'scanned', by: 4 }],
} });

test('a decision answers the reason that it is about', () => {
    const cards = cardsOf([name, flag], [], decisions);
    assert.deepEqual(cards.map(({ reason: one, decision, open }) => [one?.row, decision?.kind, open]),
        [[6, 'exclude', false], [7, 'alias', false]]);
});

test('what still holds the file after a decision stays open, and what is new is added', () => {
    const later = reason(7, 'test_verified_locked');
    const cards = cardsOf([flag, name], [name, later], decisions);
    assert.deepEqual(cards.map(({ reason: one, open }) => [one?.code, open]), [
        ['instrument_error_flag', false], ['unknown_tracking_id', true],
        ['test_verified_locked', true]]);
});

test('before the service has looked, a reason without a decision is open', () => {
    assert.deepEqual(cardsOf([flag, name], null, decisionsOf({ decisions: {} }))
        .map(({ open }) => open), [true, true]);
    assert.deepEqual(cardsOf([flag], null, decisions).map(({ open }) => open), [false, false]);
});

test('notes hold nothing, and a decision without a reason is still shown', () => {
    const cards = cardsOf([reason(2, 'profile_error', { severity: 'note' })], [], decisions);
    assert.deepEqual(cards.map(({ reason: one, decision }) => [one, decision?.kind]),
        [[null, 'exclude'], [null, 'alias']]);
});

test('persons and times are not sent back, and one that is taken back is gone', () => {
    assert.deepEqual(sent(decisions), {
        exclude: [{ row: 6, reason: 'too high' }],
        aliases: [{ from: 'EFF 002 rep', to: 'CB-1', reason: 'scanned' }], tests: [],
    });
    const [out] = cardsOf([flag], [], decisions);
    assert.ok(out?.decision);
    assert.deepEqual(sent(without(decisions, out.decision)).exclude, []);
});

test('a test is named for a value, not for a replicate without one', () => {
    assert.deepEqual(['duplicate_row', 'ambiguous_test', 'replicate_unresolved']
        .map((code) => asksForTest(reason(2, code))), [true, true, false]);
});

test('a row is left out whole, in its sheet', () => {
    const some = decisionsOf({ decisions: { exclude: [{ row: 3, sheet: 'Run', reason: 'x' },
        { row: 4, column: 2, reason: 'y' }] } });
    assert.deepEqual([isExcluded(some, 'Run', 3), isExcluded(some, 'Old', 3), isExcluded(some, null, 4)],
        [true, false, false]);
});

test('the cell of a reason is found by its column, else by its text', () => {
    assert.deepEqual([columnOf(flag, []), columnOf(name, ['a', 'EFF 002 rep']),
        columnOf(reason(1, 'missing_value'), ['a'])], [4, 1, -1]);
    assert.deepEqual([0, 25, 26, 701, 702].map(letterOf), ['A', 'Z', 'AA', 'ZZ', 'AAA']);
});

test('next and back go round the open reasons alone', () => {
    const cards = cardsOf([reason(1, 'a'), flag, reason(9, 'b')], [reason(1, 'a'), reason(9, 'b')], decisions);
    const [first, second, third] = cards;
    assert.equal(nextOpen(cards, first?.key ?? null, 1), third);
    assert.equal(nextOpen(cards, second?.key ?? null, -1), first);
    assert.equal(nextOpen(cards, third?.key ?? null, 1), first);
    assert.equal(nextOpen(cards, null, 1), first);
});

const reading = (sheet: string | null, column: number, trackingId: string, testCode: string) =>
    ({ sheet, column, trackingId, testCode, candidates: [] });
const columnsOf = (found: { column: number | null }[]) => found.map(({ column }) => column);

test('a row of a sheet has the card of that sheet', () => {
    const one = reason(5, 'missing_value', { sheet: 'Run1' });
    const two = reason(5, 'missing_value', { sheet: 'Run2' });
    const cards = cardsOf([one, two], null, decisionsOf({ decisions: {} }));
    assert.deepEqual(['Run1', 'Run2', 'Run3'].map((sheet) => cardAt(cards, sheet, 5)?.reason),
        [one, two, undefined]);
    assert.equal(cardAt(cardsOf([flag], null, decisions), '', 6)?.reason, flag);
});

test('a reason about a value is about the reading of its sheet and column', () => {
    const readings = [reading('Run1', 2, 'CB-1', 'NO3'), reading('Run1', 3, 'CB-1', 'SO4'),
        reading('Run2', 3, 'CB-2', 'SO4')];
    const several = reason(2, 'ambiguous_test', { sheet: 'Run1', column: 3, cell: '5.0' });
    assert.deepEqual(readingsOf(several, readings, decisions), [readings[1]]);
});

test('a sample without the test is named as the file names it', () => {
    const unplanned = (expected: string, cell = 'CB-1') =>
        reason(2, 'test_not_scheduled', { cell, expected });
    const readings = [reading(null, 2, 'CB-1', 'NO3'), reading(null, 3, 'CB-1', 'SO4')];
    const aliased = decisionsOf({ decisions: { aliases: [{ from: 'CB-1', to: 'CB-2', reason: 'x' }] } });

    assert.deepEqual(columnsOf(readingsOf(unplanned('SO4'), readings, decisions)), [3]);
    assert.deepEqual(cardsOf([unplanned('NO3'), unplanned('SO4'), unplanned('NO3', 'CB-3')], null,
        aliased).map(({ decision }) => decision?.kind), ['alias', 'alias', undefined]);
    assert.equal(nameInFile(unplanned('NO3', 'CB-2'), readings, aliased), 'CB-1');
    assert.deepEqual(withAlias(aliased, { from: 'CB-1', to: 'CB-4', reason: 'y' }).aliases,
        [{ from: 'CB-1', to: 'CB-4', reason: 'y' }]);
});

test('each value of a row has the test that was chosen for it', () => {
    const several = (column: number, sheet = 'Run1') => reason(2, 'ambiguous_test', { sheet, column });
    const chosen = withTest(withTest(decisionsOf({ decisions: {} }), several(3), 7), several(2), 8);
    const tests = (one: typeof chosen) =>
        one.tests.map(({ column, sampleTestId }) => [column, sampleTestId]);

    assert.deepEqual(cardsOf([several(2), several(3), several(4), several(3, 'Run2')], null, chosen)
        .map(({ decision }) => decision?.kind === 'test' ? decision.one.sampleTestId : null),
    [8, 7, null, null]);
    assert.deepEqual(tests(withTest(chosen, several(3), 9)), [[2, 8], [3, 9]]);
    assert.deepEqual(tests(withTest(chosen, several(3, 'Run2'), 9)), [[3, 7], [2, 8], [3, 9]]);
});

// SPDX-License-Identifier: Apache-2.0
//
// Times as a laboratory's clock shows them, also on the days when it is put forward and back.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginOf, dayIn, endOf, localOf, momentOf, readingsOf, shownAt } from '../../../../modules/application/web/texts/local-time.ts';

const angeles = 'America/Los_Angeles';

test('a time is that of the laboratory\'s clock', () => {
    assert.equal(momentOf('2026-11-24T10:15', angeles), '2026-11-24T18:15:00.000Z');
    assert.equal(momentOf('2026-07-01T10:15', angeles), '2026-07-01T17:15:00.000Z');
    assert.equal(momentOf('2026-03-08T03:30', angeles), '2026-03-08T10:30:00.000Z');
    assert.equal(momentOf('2026-11-24T10:15', 'Asia/Kathmandu'), '2026-11-24T04:30:00.000Z');
    assert.equal(shownAt('2026-11-24T18:15:00Z', angeles), '2026-11-24T10:15');
    assert.equal(dayIn(angeles, Date.parse('2026-11-24T03:00:00Z')), '2026-11-23');
});

test('in the hour that is shown twice, the difference to UTC says which', () => {
    const both = ['2026-11-01T01:30-07:00', '2026-11-01T01:30-08:00'];
    assert.deepEqual(readingsOf('2026-11-01T01:30', angeles), both);
    assert.deepEqual(both.map((one) => momentOf(one, angeles)),
        ['2026-11-01T08:30:00.000Z', '2026-11-01T09:30:00.000Z']);
    for (const moment of ['2026-11-01T08:30:00Z', '2026-11-01T09:30:00Z']) {
        assert.equal(Date.parse(momentOf(shownAt(moment, angeles), angeles)), Date.parse(moment),
            'what is shown is the moment that was kept');
    }
    assert.equal(localOf(both[1] ?? ''), '2026-11-01T01:30');
    assert.deepEqual(readingsOf('2026-11-01T02:00', angeles), ['2026-11-01T02:00']);
});

test('a time that no clock showed is left for the service to refuse', () => {
    assert.deepEqual(readingsOf('2026-03-08T02:30', angeles), []);
    assert.equal(momentOf('2026-03-08T02:30', angeles), '2026-03-08T02:30');
    assert.deepEqual(readingsOf('', angeles), [], 'nothing is typed yet');
});

test('a year that is still being typed is a time', () => {
    assert.equal(readingsOf('0002-11-24T10:15', angeles).length, 1);
});

test('a day begins at midnight, or when the clock was put forward over it', () => {
    assert.equal(beginOf('2026-11-02', angeles), '2026-11-02T08:00:00.000Z');
    assert.equal(beginOf('2026-11-01', angeles), '2026-11-01T07:00:00.000Z');
    assert.equal(beginOf('2026-04-24', 'Africa/Cairo'), '2026-04-23T22:00:00.000Z');
    assert.equal(endOf('2026-11-01', angeles), '2026-11-02T07:59:59.999Z');
    assert.equal(endOf('2026-04-23', 'Africa/Cairo'), '2026-04-23T21:59:59.999Z');
});

// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dated, dayOf, span, utc, when, writeTimesBy, writtenTime } from '../../../../modules/application/web/texts/time.ts';

const now = new Date('2026-11-24T17:00:00Z');

test('a time is told in the zone of the laboratory', () => {
    assert.equal(when('2026-11-24T16:50:00.000Z', 'America/Denver', now), 'Nov 24 09:50');
    assert.equal(when('2026-11-24T03:50:00.000Z', 'America/Denver', now), 'Nov 23 20:50');
    assert.equal(utc('2026-11-24T16:50:00.000Z'), '2026-11-24 16:50 UTC');
});

test('the year is told where it is another one', () => {
    assert.equal(when('2025-12-31T12:00:00.000Z', 'UTC', now), 'Dec 31, 2025 12:00');
});

test('a day belongs to no zone', () => {
    assert.equal(dayOf('2026-12-01', now), 'Dec 1');
});

test('a document is written by its own clock, always with the year', () => {
    assert.equal(writtenTime('2026-11-20T07:05:00-07:00'), 'Nov 20, 2026 07:05');
});

test('a value is written as a day or a time where it is one', () => {
    assert.equal(dated('2025-12-31T12:00:00.000Z', 'UTC'), 'Dec 31, 2025 12:00');
    assert.equal(dated('2025-12-31', 'UTC'), 'Dec 31, 2025');
    assert.equal(dated('7.10', 'UTC'), '7.10');
});

test('days and times are written by the locale of the laboratory', () => {
    writeTimesBy('en-GB');
    assert.equal(when('2025-12-31T12:00:00.000Z', 'UTC', now), '31 Dec 2025 12:00');
    writeTimesBy('de-AT');
    assert.equal(dayOf('2026-12-01', now), '1. Dez.');
    writeTimesBy('en-US');
    assert.equal(dayOf('2026-12-01', now), 'Dec 1');
});

test('a span has two units while they matter', () => {
    const minute = 60_000;
    assert.equal(span(10 * minute), '10 min');
    assert.equal(span(130 * minute), '2 h 10 min');
    assert.equal(span(-180 * minute), '3 h');
    assert.equal(span(40 * 60 * minute), '1 d 16 h');
    assert.equal(span(26 * 24 * 60 * minute + minute), '26 d');
});

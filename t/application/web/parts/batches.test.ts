// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fateOf, nextNumber, numberOf } from '../../../../modules/application/web/nouns/qc-numbers.ts';

test('the number of a batch goes on where the last one ended, with its zeros', () => {
    assert.deepEqual(['QCB-0106', 'QCB-0999', 'B9', '26-7/A', 'run', undefined].map(nextNumber),
        ['QCB-0107', 'QCB-1000', 'B10', '26-8/A', 'QCB-0001', 'QCB-0001']);
    assert.equal(nextNumber('1234567890123456789'), '1234567890123456790');
});

test('what has gone out counts before what is verified, and a batch that passed holds nothing', () => {
    const reported = new Set([7]);
    const fate = (sampleId: number, status: 'entered' | 'verified', holds = true) =>
        fateOf({ sampleId, status }, holds, reported);
    assert.deepEqual([fate(7, 'verified'), fate(8, 'verified'), fate(8, 'entered'),
        fate(7, 'verified', false)], ['reported', 'verified', 'held', 'free']);
});

test('a decimal comma is taken, and what is no number is not guessed at', () => {
    assert.deepEqual(['49.6', '49,6', ' .5 ', '-1e-3', '1.2.3', '1,234.5', '<0.5', ''].map(numberOf),
        [49.6, 49.6, 0.5, -0.001, null, null, null, null]);
});

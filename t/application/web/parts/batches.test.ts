// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fateOf, nextNumber } from '../../../../modules/application/web/nouns/qc-numbers.ts';

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

// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { waysOut } from '../../../../modules/application/web/places.ts';

const nounsOf = (...blocker: Parameters<typeof waysOut>): string =>
    waysOut(...blocker).map(({ noun, no }) => `${noun}${no ?? ''}`).join(' ');

test('quality control that no batch does yet leads to the batches', () => {
    assert.equal(nounsOf({ slug: 'qc_pending', testIds: [1] }), 'qcBatches');
    assert.equal(nounsOf({ slug: 'qc_pending', testIds: [1], qcBatchIds: [] }), 'qcBatches');
});

test('a blocker leads to the records that it names, and to its test where it names no other', () => {
    assert.equal(nounsOf({ slug: 'qc_pending', testIds: [1], qcBatchIds: [2] }), 'qcBatch');
    assert.equal(nounsOf({ slug: 'qc_failed', testIds: [1], qcBatchIds: [2, 3] }),
        'qcBatch1 qcBatch2');
    assert.equal(nounsOf({ slug: 'blank_result', testIds: [1] }), 'test');
    assert.equal(nounsOf({ slug: 'investigation_open', testIds: [1], investigationIds: [2] }),
        'investigation');
    assert.equal(nounsOf({ slug: 'confirmation_required', testIds: [1] }), 'confirmation');
});

// SPDX-License-Identifier: Apache-2.0
//
// Differences between a version of a certificate and the one before it, as its reader sees them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { differences } from '../../../../modules/application/web/pages/certificates/content.ts';
import type { Content } from '../../../../modules/application/web/pages/certificates/content.ts';
import { limitBeside } from '../../../../modules/application/web/texts/limit.ts';

const content = (plantLocation: string, collectedAt: string): Content => ({ sample: {
    trackingId: 'CB-26-0000042-Q', sampleIdentifier: 'CB-26-0000042-Q', clientName: 'Sunrise',
    project: null, materialType: 'Drinking water', plantLocation, collectedAt,
    collectionDate: '2026-10-28', receivedAt: null, externalId: null, remark: null } });

test('days and times of a difference are written as on the certificate', () => {
    const found = differences(content('Well 4', '2026-10-28T22:06:00-06:00'),
        content('Well 4', '2026-10-29T07:00:00-06:00'));
    assert.deepEqual(found.map(({ before, after }) => [before, after]),
        [['Oct 28, 2026 22:06', 'Oct 29, 2026 07:00']]);
});

test('a limit beside a unit does not repeat it', () => {
    assert.equal(limitBeside('mg/L', 'at most 45 mg/L'), 'at most 45');
    assert.equal(limitBeside('mg/L', 'at most 45 ug/L'), 'at most 45 ug/L');
    assert.equal(limitBeside(null, 'Absent'), 'Absent');
    assert.equal(limitBeside('mg/L', null), '');
});

// SPDX-License-Identifier: Apache-2.0
//
// Counts of samples: added as numbers and written as the texts are, in a browser that speaks
// German as in one that speaks English.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readinessCounts } from '../../../../modules/application/web/pages/samples/sums.ts';

test('counts are added, and written as the texts are', () => {
    const own = Number.prototype.toLocaleString;
    Number.prototype.toLocaleString = function german(locale, options) {
        return own.call(this, locale ?? 'de-DE', options);
    };
    assert.deepEqual(readinessCounts({ status: { received: 1234, reported: 500 },
        releaseState: { blocked: 1200 } }),
    { blocked: '1,200', reported: '500', all: '1,734' });
    Number.prototype.toLocaleString = own;
});

test('where there are more than are counted, so are all', () => {
    assert.deepEqual(readinessCounts({ status: { received: 3, reported: '10,000+' },
        releaseState: {} }), { reported: '10,000+', all: '10,000+' });
});

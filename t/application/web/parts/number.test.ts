// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { numberOf, numberPattern } from '../../../../modules/application/web/form/number.ts';
import { measuredOf } from '../../../../modules/application/web/pages/bench/controls.ts';

test('a number has a decimal point: a comma is never guessed at, and nothing endless is sent', () => {
    assert.deepEqual(['49.6', ' .5 ', '-1e-3', '5.', '1e-7'].map(numberOf),
        [49.6, 0.5, -0.001, 5, 1e-7]);
    for (const typed of ['49,6', '1,234', '1,234.5', '1.2.3', '<0.5', '1e999', '0x10', '']) {
        assert.equal(numberOf(typed), null, typed);
    }
});

test('an input takes what is read as a number, and nothing else', () => {
    const pattern = new RegExp(`^(?:${numberPattern})$`, 'v');
    assert.deepEqual(['49.6', '1e-7', '-.5', '1,234', '49,6', ''].map((typed) => pattern.test(typed)),
        [true, true, true, false, false, false]);
});

test('the measured value of a control at the bench is a number as on the page of its batch', () => {
    for (const typed of ['1.234', '1,234', '1e999', 'x']) {
        const measuredValue = numberOf(typed);
        assert.deepEqual(measuredOf({ criterion: 'range' }, typed),
            measuredValue === null ? null : { measuredValue }, typed);
    }
});

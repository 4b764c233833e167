// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { endsScan, isOneLabel, isScan, none, scannedText,
    typed } from '../../../../modules/application/web/keys/scan.ts';
import type { Burst } from '../../../../modules/application/web/keys/scan.ts';

const at = (text: string, gap: number): Burst =>
    [...text].reduce((burst, character, i) => typed(burst, character, 1000 + i * gap), none);

test('six characters within 30 ms of each other are a scan', () => {
    assert.ok(isScan(at('CB-26-', 5)));
    assert.equal(at('CB-26-0000094-V', 29).text, 'CB-26-0000094-V');
});

test('five are not, however fast', () => {
    assert.ok(!isScan(at('CB-26', 1)));
});

test('a person types slower, and each letter stands for itself', () => {
    assert.equal(at('jjjjjjjj', 30).text, 'j');
});

test('a key that comes late ends no scan', () => {
    const burst = at('CB-26-0000094-V', 5);
    assert.ok(endsScan(burst, burst.last + 20));
    assert.ok(!endsScan(burst, burst.last + 500));
});

test('what a reader sends behind a scan is no part of it', () => {
    for (const read of ['CB-26-0000094-V', 'CB-26-0000094-V,', ' CB-26-0000094-V , ']) {
        assert.equal(scannedText(read), 'CB-26-0000094-V');
    }
});

test('one label is pasted, and no block of a spreadsheet, no word, no letter', () => {
    assert.ok(isOneLabel('CB-26-0000094-V'));
    assert.ok(isOneLabel('COC 4711'));
    for (const other of ['', 'CB-26', 'A1\tB2 and more', 'CB-26-0000094-V\nCB-26-0000095-T',
        'x'.repeat(65)]) {
        assert.ok(!isOneLabel(other), other);
    }
});

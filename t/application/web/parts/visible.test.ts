// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { visible, visibleText } from '../../../../modules/application/web/api/visible.ts';

const shown = (text: string, json = JSON.stringify(text)): unknown => JSON.parse(visible(json));

test('what turns the direction of a text is shown by its number', () => {
    assert.equal(shown('Mill \u202eretaW\u202c'), 'Mill [U+202E]retaW[U+202C]');
    assert.equal(shown('\u2067a\u2069'), '[U+2067]a[U+2069]');
});

test('characters that nobody sees are shown by their codes', () => {
    assert.equal(shown('P\u200bH \ufeff\u{e0041}'), 'P[U+200B]H [U+FEFF][U+E0041]');
});

test('control characters are shown by their codes, however JSON writes them', () => {
    assert.equal(shown('\u0007\b\f\u007f\u0085'), '[U+0007][U+0008][U+000C][U+007F][U+0085]');
    assert.equal(shown('', '"\\u202E \\u0007"'), '[U+202E] [U+0007]');
});

test('what writing needs stays, and what only looks like an escape', () => {
    for (const text of ['a\tb\nc\r', 'C:\\b \\u202e "x"', '\u200eאבג\u200f', 'نامه\u200cها', '👩‍🔬', '7.10']) {
        assert.equal(shown(text), text);
    }
});

test('a text that is no JSON is shown likewise', () => {
    assert.equal(visibleText('EPA\u202e \u0007 C:\\b'), 'EPA[U+202E] [U+0007] C:\\b');
});

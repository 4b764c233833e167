// SPDX-License-Identifier: Apache-2.0
//
// The entry grid in a browser: keys, clipboard, input methods, scanners and fingers, what
// assistive technology finds, and how fast a key is seen. Under the service's own policy of
// what a page may load.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { Browser } from './browser.ts';

const browser = new Browser();

before(() => browser.start());
after(() => browser.stop());

async function open(query = '', how = {}): Promise<Page> {
    const page = await browser.page(query, how);
    await live(page).waitFor();
    await page.waitForFunction(() => document.activeElement?.closest('td.editing'));
    return page;
}

const live = (page: Page): Locator => page.locator('td.editing input');
const where = (page: Page): Promise<string> => page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? '');
const cell = (page: Page, row: number, column: number): Locator =>
    page.locator(`tr[data-row="${row}"] td[data-column="${column}"]`);
const steps = (page: Page): Promise<number> => page.evaluate(
    () => window.desk.store.get().model.done.length);
const typedAt = (page: Page, row: number, column: number): Promise<string | undefined> =>
    page.evaluate(([r, c]) => window.desk.sheet.rows[r!]?.cells[c!]?.content.typed, [row, column]);

// As fingers type: a scanner is quicker.
async function type(page: Page, text: string): Promise<void> {
    await page.keyboard.type(text, { delay: 40 });
}

async function clipboard(page: Page, text: string): Promise<void> {
    await page.evaluate((one) => navigator.clipboard.writeText(one), text);
}

test('by keyboard alone: typed, judged, looked at, saved', async () => {
    const page = await open();
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X', 'the first empty cell has the focus');
    await type(page, '3.5');
    await page.keyboard.press('Enter');
    await type(page, '11.40');
    await page.keyboard.press('Tab');
    assert.equal(await where(page), 'NO2N of CB-26-0000001-X');
    await cell(page, 1, 0).locator('.mark.blocked').waitFor();
    await cell(page, 0, 0).locator('.mark.ready').waitFor();
    await page.getByText('11.40 is outside the limit').first().waitFor();
    await page.keyboard.press('F8');
    assert.equal(await where(page), 'NO3N of CB-26-0000001-X, not saved');
    const described = await live(page).getAttribute('aria-describedby');
    assert.match(await page.locator(`[id="${described}"]`).innerText(), /outside the limit/);
    await page.keyboard.press('Control+s');
    await page.waitForFunction(() => Object.keys(window.entered).length === 2);
    assert.deepEqual(await page.evaluate(() => window.entered), { r0c0: '3.5', r1c0: '11.40' });
    // Both are controls, which are saved one by one.
    await page.getByText('1 result saved').waitFor({ state: 'attached' });
});

test('Escape, F2, a locked cell, undo', async () => {
    const page = await open();
    await type(page, '7');
    await page.keyboard.press('Escape');
    assert.equal(await live(page).inputValue(), '');
    await type(page, '12');
    await page.keyboard.press('F2');
    await page.keyboard.press('ArrowLeft');
    await type(page, '.');
    assert.equal(await live(page).inputValue(), '1.2', 'the caret moves in the text');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    assert.equal(await where(page), 'NO3N of CB-26-0000003-X', 'Enter passes by what is locked');
    await page.keyboard.press('ArrowUp');
    await type(page, '9');
    assert.equal(await live(page).inputValue(), '3.40', 'what is locked takes nothing');
    assert.match(await page.locator('.reason').first().innerText(), /Lena Fischer/);
    await page.keyboard.press('Control+z');
    assert.equal(await typedAt(page, 0, 0), '');
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X', 'undo leads to what it undid');
});

test('blocks of a spreadsheet, with a comma that is asked about', async () => {
    const page = await open();
    await clipboard(page, '1,5\t2\r\n3\t4\r\n5\t6\r\n');
    await page.keyboard.press('Control+v');
    const point = page.getByRole('button', { name: 'A decimal point' });
    await point.and(page.locator(':focus')).waitFor();
    assert.equal(await typedAt(page, 0, 0), '', 'nothing is pasted before');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.desk.sheet.rows[0]?.cells[0]?.content.typed === '1.5');
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X, not saved', 'the focus is back in the grid');
    await page.getByText('Not pasted: Verified by Lena Fischer').first().waitFor();
    assert.equal(await page.locator('td[aria-selected="true"]').count(), 6);
    await page.keyboard.press('Control+c');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '1.5\t2\n3\t4\n3.40\t6');
    await page.keyboard.press('Control+z');
    assert.equal(await typedAt(page, 1, 1), '', 'a paste is one step');
    await page.keyboard.press('Control+Shift+Z');
    assert.equal(await typedAt(page, 1, 1), '4');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Delete');
    await clipboard(page, '8');
    await page.keyboard.press('Control+v');
    await page.waitForFunction(() => window.desk.sheet.rows[0]?.cells[1]?.content.typed === '8');
    assert.deepEqual([await typedAt(page, 0, 0), await typedAt(page, 0, 1)], ['8', '8']);
});

test('an input method composes in a cell that was only selected', async () => {
    const page = await open('columns=8');
    const line = await page.context().newCDPSession(page);
    await line.send('Input.imeSetComposition', { text: 'す', selectionStart: 1, selectionEnd: 1 });
    await line.send('Input.imeSetComposition', { text: '水', selectionStart: 1, selectionEnd: 1 });
    await line.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process',
        code: 'Enter', windowsVirtualKeyCode: 229 });
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X, not saved', 'Enter belongs to the input method');
    await line.send('Input.insertText', { text: '水' });
    await page.keyboard.press('Enter');
    assert.equal(await typedAt(page, 0, 0), '水');
});

test('a scanner types into no cell', async () => {
    const page = await open();
    await browser.scan(page, 'CB-26-0000214-V');
    assert.deepEqual(await page.evaluate(() => window.scans), ['CB-26-0000214-V']);
    assert.equal(await live(page).inputValue(), '');
    assert.equal(await steps(page), 0, 'a scan leaves nothing to undo');
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X', 'a scan does not move the cursor');
});

test('the row of the cursor scrolled away: what is typed goes into its cell', async () => {
    const page = await open('rows=2000&columns=8');
    await type(page, '7');
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 20_000);
    await page.waitForFunction(() => document.querySelector('tr[data-row="720"]'));
    await type(page, '.25');
    assert.equal(await typedAt(page, 0, 0), '7.25');
    assert.ok(await page.locator('tr[role="row"]').count() < 80, 'only rows in sight are drawn');
    await page.keyboard.press('Control+End');
    assert.equal(await where(page), 'NOTE of CB-26-0001999-X');
    assert.equal(await page.locator('tr[data-row="1999"]').getAttribute('aria-rowindex'), '2001');
});

test('a reason for what replaces an entered value, asked under the grid', async () => {
    const page = await open();
    await cell(page, 3, 1).click();
    await type(page, '0.06');
    await page.keyboard.press('Control+s');
    const field = page.getByRole('combobox', { name: 'Reason' });
    await field.waitFor();
    assert.ok(await field.evaluate((one) => one === document.activeElement));
    await type(page, 'read again');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.entered['r3c1'] === '0.06');
    assert.equal(await where(page), 'NO2N of CB-26-0000003-X');
});

test('a refusal stands at its cell, and the rest is saved', async () => {
    const page = await open();
    await type(page, 'bad');
    await page.keyboard.press('Enter');
    await type(page, '4');
    await page.keyboard.press('Control+s');
    await cell(page, 0, 0).and(page.locator('[aria-invalid="true"]')).waitFor();
    await page.waitForFunction(() => window.entered['r1c0']);
    assert.deepEqual(await page.evaluate(() => window.entered), { r1c0: '4' });
    assert.equal(await typedAt(page, 0, 0), 'bad', 'what was typed stays');
});

test('without the service: cells wait and say so, and closing the tab asks', async () => {
    const page = await open('offline');
    await type(page, '7');
    await page.keyboard.press('Control+s');
    await page.locator('.mark.progress').waitFor();
    await page.getByText(/cannot be reached, next try in/).waitFor();
    const asked = new Promise((done) => page.once('dialog', (dialog) => {
        done(dialog.type());
        void dialog.accept();
    }));
    await page.close({ runBeforeUnload: true });
    assert.equal(await asked, 'beforeunload');
});

test('Tab and F6 leave the grid at its ends', async () => {
    const page = await open('rows=2&columns=1');
    await page.keyboard.press('Shift+F6');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'before');
    await page.keyboard.press('Tab');
    assert.equal(await where(page), 'NO3N of CB-26-0000000-X');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.doesNotMatch(await where(page), /NO3N/);
});

test('fingers: higher rows, and a second tap places the caret', async () => {
    const page = await open('', { hasTouch: true, isMobile: true,
        viewport: { width: 1024, height: 768 } });
    const box = await cell(page, 4, 1).boundingBox();
    assert.ok((box?.height ?? 0) >= 44, `rows of ${box?.height}`);
    await cell(page, 4, 1).tap();
    await cell(page, 4, 1).locator('input:focus').waitFor();
    assert.equal(await where(page), 'NO2N of CB-26-0000004-X');
    await live(page).tap();
    await page.waitForFunction(() => window.desk.store.get().mode === 'editing');
    assert.equal(await page.evaluate(() => window.desk.store.get().mode), 'editing');
});

const schemes = [
    ['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }],
    ['forced colours', { forcedColors: 'active' }],
] as const;

for (const [name, how] of schemes) {
    test(`assistive technology finds nothing missing, ${name}`, async () => {
        const page = await open('', how);
        await type(page, '11.40');
        await page.keyboard.press('Enter');
        await type(page, 'bad');
        await page.keyboard.press('Control+s');
        await page.locator('[aria-invalid="true"]').first().waitFor();
        assert.deepEqual(await browser.findings(page), []);
        await browser.picture(page, `grid-${name.replace(' ', '-')}`);
    });
}

test('2,000 × 8 cells: a key is seen at once, and a paste soon', async (context) => {
    const page = await open('rows=2000&columns=8');
    // The times that pass depend on the machine, unless it does nothing else (make
    // bench-application).
    const key = await browser.work(page, () => browser.press(page, 60)) / 60;
    context.diagnostic(`a key: ${key.toFixed(1)} ms of the processor`);
    assert.ok(key <= 50, `a key takes ${key} ms`);
    await page.keyboard.press('Control+Home');
    await clipboard(page, Array.from({ length: 200 }, () => '1\t2\t3\t4\t5\t6').join('\n'));
    const block = await browser.work(page, async () => {
        await page.keyboard.press('Control+v');
        await page.waitForFunction(() => window.desk.sheet.rows.slice(0, 200).every((row, r) =>
            row.cells.slice(0, 6).every((one, c) => one.verdict !== null || (r === 2 && c === 0))));
    });
    context.diagnostic(`200 × 6 pasted and judged: ${block} ms of the processor`);
    assert.ok(block < 3000, `a block takes ${block} ms`);
});

test('nothing was loaded, run or styled against the policy', () => {
    assert.deepEqual(browser.complaints, []);
});

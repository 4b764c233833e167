// SPDX-License-Identifier: Apache-2.0
//
// A list without single-key shortcuts.
import { is, ok, open, press } from './support.mjs';

const cursor = (page) => page.textContent('tr.cursor th');

// Whoever has turned the shortcuts off moves by arrows, and no letter acts.
export async function shortcutsOff(page) {
    const toggle = async () => {
        await page.locator('.person').click();
        await page.getByRole('menuitem', { name: 'Single-key shortcuts' }).click();
    };
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await toggle();
    await page.reload();
    await page.waitForSelector('tr.cursor');
    const first = await cursor(page);
    await page.locator('tr.cursor').focus();
    const selected = () => page.locator('tr[aria-selected=true] th').allTextContents();
    await press(page, 'j', 'x');
    is(await cursor(page), first, 'shortcuts that are off move no cursor');
    is((await selected()).length, 0, 'shortcuts that are off select no row');
    await press(page, 'Shift+Space', 'ArrowDown');
    ok(await cursor(page) !== first, 'arrows are no shortcuts');
    await press(page, 'ArrowDown', 'Shift+Space');
    is((await selected()).join(), [first, await cursor(page)].join(),
        'rows that are not neighbours are selected without shortcuts');
    await press(page, 'Shift+Space');
    is((await selected()).join(), first, 'a row is taken out of the selection without shortcuts');
    await press(page, 'Space');
    await page.waitForSelector('.peek');
    await press(page, 'Space');
    await page.locator('.peek').waitFor({ state: 'detached' });
    await press(page, 'Escape', 'ArrowUp');
    await toggle();
    await page.locator('tr.cursor').focus();
    await press(page, 'k');
    is(await cursor(page), first, 'shortcuts that are on again act');
}

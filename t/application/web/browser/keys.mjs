// SPDX-License-Identifier: Apache-2.0
//
// API keys: one is made and shown once, takes another's place, and is revoked.
import { is, looks, ok, press, until } from './support.mjs';

const panel = (page) => page.getByRole('dialog');
const field = (page, label) => panel(page).getByLabel(label, { exact: true });
const stored = (page) => panel(page).getByRole('button', { name: 'I have stored it' }).click();
const rows = (page) => page.locator('tbody tr').filter({ hasText: 'Titrator' });

export async function keys({ page }) {
    await page.click('.rail a[href$="/keys"]');
    await page.waitForSelector('tr.cursor');
    await until(page, () => /Instrument PC.*delivers files only/.test(
        document.querySelector('tbody')?.textContent), 'the keys');
    await press(page, 'n');
    await page.waitForSelector('.filling');
    await field(page, 'Name').fill('Titrator');
    await panel(page).getByRole('button', { name: 'Create a key' }).click();
    await until(page, () => document.querySelector('.filling')?.textContent
        .includes('name at least one'), 'a key for nothing named is not made');
    await field(page, 'enter results').check();
    await panel(page).getByRole('button', { name: 'Create a key' }).click();
    await page.waitForSelector('[data-secret]');
    const first = await page.textContent('[data-secret]');
    ok((await panel(page).textContent()).includes(`Bearer ${first}`), 'the key, and how it is used');
    await looks(page, 'key');
    page.once('dialog', (dialog) => void dialog.dismiss());
    await press(page, 'Escape');
    is(await page.textContent('[data-secret]'), first, 'it does not go away unasked');
    await stored(page);
    await until(page, () => /Titrator.*1 scope/.test(document.querySelector('tbody')?.textContent),
        'it is in the list');
    await rows(page).click();
    await press(page, 'r');
    await page.waitForSelector('.filling');
    is(await panel(page).getByLabel(/Overlap/).inputValue(), '24', 'both hold for a day, unless said');
    await panel(page).getByRole('button', { name: 'Rotate Titrator' }).click();
    await page.waitForSelector('[data-secret]');
    ok(await page.textContent('[data-secret]') !== first, 'another key takes its place');
    await stored(page);
    await until(page, () => [...document.querySelectorAll('tbody tr')].filter((row) =>
        row.textContent.includes('Titrator')).length === 2, 'both are accepted meanwhile');
    await looks(page, 'api-keys');
    await rows(page).first().click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Revoke 1 key' }).click();
    await panel(page).getByRole('button', { name: 'Revoke 1 key' }).click();
    await until(page, () => [...document.querySelectorAll('tbody tr')].filter((row) =>
        row.textContent.includes('Titrator')).length === 1, 'a revoked key is in use no longer');
}

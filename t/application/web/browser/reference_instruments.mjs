// SPDX-License-Identifier: Apache-2.0
//
// Instruments as reference data: listed, one made with the place where it stands and the day of
// its calibration, changed, and named by its place.
import { is, looks, ok, press, until } from './support.mjs';

const panel = (page) => page.getByRole('dialog');
const field = (page, label) => panel(page).getByLabel(label, { exact: true });
const button = (page, name) => panel(page).getByRole('button', { name });
const row = (page) => page.locator('tbody tr').filter({ hasText: 'HPLC-9' });
const said = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), text, text);

async function lists(page) {
    await page.click('.rail a[href$="/reference"]');
    await page.getByRole('link', { name: 'Instruments' }).click();
    await until(page, () => /ICPMS-1.*7900/.test(document.querySelector('tbody')?.textContent),
        'instruments with their models');
}

async function creates(page) {
    await press(page, 'n');
    await page.waitForSelector('.filling');
    ok(page.url().endsWith('/reference/instruments/new'), 'the form has an address', page.url());
    await field(page, 'Code').fill('HPLC-9');
    await button(page, 'Create an instrument').click();
    await until(page, () => document.querySelector('.filling [aria-invalid=true]'),
        'what is missing is said at its field');
    await field(page, 'Name').fill('Liquid chromatograph');
    await field(page, 'Manufacturer').fill('Waters');
    await field(page, 'Model').fill('Alliance iS');
    await field(page, 'Serial number').fill('00417');
    await page.getByRole('combobox', { name: 'Where it stands' }).fill('metals');
    await page.waitForSelector('[role=option]');
    await press(page, 'ArrowDown', 'Enter');
    await field(page, 'Calibration due').fill('2031-03-09');
    await looks(page, 'instrument-form');
    await button(page, 'Create an instrument').click();
    await said(page, 'HPLC-9 is created');
    await row(page).waitFor();
    const shown = await row(page).textContent();
    ok(shown.includes('METALS, Metals cabinet'), 'it is listed with its place by name', shown);
    ok(shown.includes('Mar 9, 2031'), 'the list has the day on which the calibration is due', shown);
}

async function changes(page) {
    await row(page).click();
    await press(page, 'e');
    await page.waitForSelector('.filling');
    is(await field(page, 'Serial number').inputValue(), '00417', 'a serial number keeps its zeros');
    ok(!/Nothing refers/.test(await panel(page).textContent()),
        'it is not said that nothing refers to it, for the service does not tell');
    await field(page, 'Calibration due').fill('');
    await button(page, 'Change HPLC-9').click();
    await said(page, 'HPLC-9 is changed');
    await until(page, () => !document.querySelector('tbody').textContent.includes('2031'),
        'the day is taken out again');
}

async function standsAt(page) {
    await page.getByRole('link', { name: 'Storage places' }).click();
    await page.locator('tbody tr').filter({ hasText: 'METALS' }).click();
    await press(page, 'e');
    await panel(page).getByRole('link', { name: 'HPLC-9' }).click();
    await until(page, () => /Change HPLC-9/.test(document.querySelector('[role=dialog]')?.textContent),
        'the place names the instrument that stands there, and leads to it');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), 'the form is closed');
}

// Samples are of a material: their number leads to them.
async function usedByMaterial(page) {
    await page.getByRole('link', { name: 'Materials' }).click();
    await page.locator('tbody tr').filter({ hasText: 'Drinking water' }).click();
    await press(page, 'e');
    await panel(page).getByRole('link', { name: /^\d+ samples$/ }).waitFor();
    ok(!await panel(page).getByText('Nothing refers to it').isVisible(),
        'a material says how many samples are of it');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), 'its form is closed');
}

export async function instruments({ page }) {
    await lists(page);
    await creates(page);
    await changes(page);
    await standsAt(page);
    await usedByMaterial(page);
}

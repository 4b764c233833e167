// SPDX-License-Identifier: Apache-2.0
//
// Instruments as reference data: listed, one made with the place where it stands and the day of
// its calibration, changed, and named by its place.
import { ask, desk, hold, is, looks, ok, open, press, signIn, until } from './support.mjs';

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

// A name is typed before the list of names has come.
async function typesFirst(page) {
    const place = page.getByRole('combobox', { name: 'Where it stands' });
    const name = await hold(page, '**/api/storage-locations?*');
    await open(page, '/app/reference/instruments/new');
    await place.fill('metals');
    await name();
    await page.waitForSelector('.menu-item[role=option]');
    is(await place.inputValue(), 'metals', 'what was typed before the names came is kept');
    await press(page, 'ArrowDown', 'Enter');
    is(await place.inputValue(), 'METALS, Metals cabinet, ambient',
        'a place is found by a part of its name');
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page, 'Escape');
    await page.waitForSelector('.filling', { state: 'detached' });
}

async function creates(page) {
    await page.waitForSelector('tr.cursor');
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
    await page.waitForSelector('.menu-item[role=option]');
    await press(page, 'ArrowDown', 'Enter');
    await field(page, 'Calibration due').fill('2031-03-09');
    await looks(page, 'instrument-form');
    await button(page, 'Create an instrument').click();
    await said(page, 'HPLC-9 is created');
    await row(page).filter({ hasText: 'METALS, Metals cabinet' }).waitFor();
    ok(true, 'it is listed with its place by name');
    const shown = await row(page).textContent();
    ok(shown.includes('Mar 9, 2031'), 'the list has the day on which the calibration is due', shown);
}

async function changes(page) {
    await row(page).click();
    await press(page, 'e');
    await page.waitForSelector('.filling');
    is(await field(page, 'Serial number').inputValue(), '00417', 'a serial number keeps its zeros');
    await panel(page).getByText('Nothing refers to it').waitFor();
    ok(true, 'nothing was made with a new instrument');
    await field(page, 'Calibration due').fill('');
    await button(page, 'Change HPLC-9').click();
    await said(page, 'HPLC-9 is changed');
    await until(page, () => document.querySelector('tr.cursor') && !document.querySelector('tbody')
        .textContent.includes('2031'), 'the day is taken out again');
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

// Nothing of what refers to a test is left out, also where it is not named.
async function usedByTest(page) {
    await openForm(page, 'Test definitions', 'PBLead');
    const used = panel(page).locator('.section', { hasText: 'Used by' });
    await used.locator('dd').first().waitFor();
    const shown = await used.textContent();
    ok(/Tests\d+/.test(shown) && !await panel(page).getByText('Nothing refers to it').isVisible(),
        'a test definition says how many tests are of it', shown);
    await looks(page, 'reference-used-by-test');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), 'its form is closed again');
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

// Opens the form of a record of a noun by the text of its row.
async function openForm(page, noun, text) {
    await page.locator('.nouns').getByRole('link', { name: noun }).click();
    await page.locator('tbody tr').filter({ hasText: text }).click();
    await press(page, 'e');
    await page.waitForSelector('.filling');
}

// Records that were made with one of reference data are named in its form, and are links.
async function usedBy(page, noun, text, { heading, name, path }) {
    await openForm(page, noun, text);
    await panel(page).getByRole('link', { name }).first().waitFor();
    const shown = await panel(page).locator('.section', { hasText: 'Used by' }).textContent();
    ok(shown.includes(heading), `${noun}: the form says what was made with ${text}`, shown);
    await looks(page, `reference-used-by-${path}`);
    await panel(page).getByRole('link', { name }).first().click();
    await until(page, (expected) => location.pathname.includes(expected),
        `${noun}: the name leads to the record`, `/${path}/`);
    await page.goBack();
    await page.waitForSelector('.filling');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), `${noun}: the form is closed`);
}

// The newest five are named, and the list of all is a link.
async function olderOnes(page) {
    await openForm(page, 'Instruments', 'HPLC-9');
    await panel(page).getByRole('link', { name: 'and older ones' }).click();
    await page.waitForSelector('.chip');
    await until(page, () => document.querySelectorAll('table[role=grid] tbody tr').length === 6,
        'the list has every batch of the instrument');
    await until(page, () => /Instrument: HPLC-9/.test(document.querySelector('.chip')?.textContent),
        'it is filtered by its name');
    await page.locator('.chip button').click();
    await until(page, () => document.querySelectorAll('table[role=grid] tbody tr').length > 6,
        'without the filter the list has all batches');
    await page.click('.rail a[href$="/reference"]');
    await page.waitForSelector('tr.cursor');
}

// Makes batches, an order and a QC template, as a laboratory manager and Ruth.
async function made(page) {
    const { page: manager, context } = await desk(page.context().browser());
    await open(manager);
    await manager.waitForSelector('#email');
    await signIn(manager, 'lena.fischer@cedarbasin.example');
    await manager.waitForSelector('.rail');
    const { data: [instrument] } = await ask(page, 'GET', '/instruments?code=HPLC-9');
    for (let i = 1; i <= 6; i++) {
        await ask(manager, 'POST', '/qc-batches', { batchNumber: `HPLC-0${i}`,
            method: 'EPA 531.1', instrumentId: instrument.id });
    }
    const { data: [definition] } = await ask(page, 'GET', '/test-definitions?code=PH');
    const { data: [client] } = await ask(page, 'GET', '/clients');
    const { data: [material] } = await ask(page, 'GET', '/material-types?code=DW');
    const panelMade = await ask(page, 'POST', '/panels', { code: 'WEEKLY', name: 'Weekly sample',
        testDefinitionIds: [definition.id] });
    const { order } = await ask(manager, 'POST', '/orders', { clientId: client.id, samples: [
        { materialTypeId: material.id, priority: 'routine', panelIds: [panelMade.id] }] });
    const template = await ask(page, 'POST', '/qc-templates', { method: 'EPA 245.1',
        name: 'Cold vapour', perSamples: 20, controls: [{ type: 'LRB', criterion: 'maximum', upperLimit: 1 }] });
    await ask(manager, 'POST', '/qc-batches', { batchNumber: 'HPLC-07', qcTemplateId: template.id });
    await context.close();
    return order.orderNumber;
}

async function usage(page) {
    const orderNumber = await made(page);
    await usedBy(page, 'Instruments', 'HPLC-9',
        { heading: 'QC batches', name: 'HPLC-06', path: 'qc-batches' });
    await olderOnes(page);
    await usedBy(page, 'Panels', 'WEEKLY',
        { heading: 'Orders', name: orderNumber, path: 'orders' });
    await usedBy(page, 'QC templates', 'Cold vapour',
        { heading: 'QC batches', name: 'HPLC-07', path: 'qc-batches' });
    await usedBy(page, 'Worksheet templates', 'Oil and grease',
        { heading: 'Worksheets', name: /^HEM /, path: 'worksheets' });
}

export async function instruments({ page }) {
    await lists(page);
    await typesFirst(page);
    await creates(page);
    await changes(page);
    await standsAt(page);
    await usedByMaterial(page);
    await usedByTest(page);
    await usage(page);
}

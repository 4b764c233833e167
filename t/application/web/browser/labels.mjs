// SPDX-License-Identifier: Apache-2.0
//
// Printing labels by keyboard: from lists, records, an order and receiving.
import { readFile } from 'node:fs/promises';

import { act, ask, desk, is, looks, ok, open, press, quiet, run, scan, signIn,
    until } from './support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const dialog = (page) => page.getByRole('dialog');
const size = (page) => dialog(page).getByLabel('Size');
const printer = (page) => dialog(page).getByLabel('Printer');

// Opens the question; the sizes are read before it can be answered well.
async function asked(page, key, title) {
    await press(page, key);
    await dialog(page).getByRole('button', { name: title }).waitFor();
    await until(page, () => [...document.querySelectorAll('[role=dialog] option')]
        .some(({ value }) => value === 'A4-21'), `${title}: the sizes are offered`);
}

// Answers the question by Enter, and returns the query of the PDF that is shown.
async function shown(page) {
    await dialog(page).locator('[type=submit]').focus();
    const [answer] = await Promise.all([page.context().waitForEvent('response',
        (one) => one.request().isNavigationRequest() && one.url().includes('/app/api/labels?')),
    page.keyboard.press('Enter')]);
    is(`${answer.status()} ${answer.headers()['content-type']}`, '200 application/pdf',
        'a PDF is opened');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    for (const other of page.context().pages().filter((one) => one !== page)) {
        await other.close();
    }
    return new URL(answer.url()).searchParams;
}

async function saved(page) {
    await dialog(page).locator('[type=submit]').focus();
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    is(file.suggestedFilename(), 'labels.zpl', 'a file for the label printer is saved');
    return readFile(await file.path(), 'utf8');
}

async function samples(page) {
    await page.waitForSelector('tr.cursor');
    await press(page, 'x', 'j', 'x');
    await asked(page, 'p', 'Print labels of 2 samples');
    await looks(page, 'labels');
    await size(page).selectOption('A4-24');
    await dialog(page).getByLabel('Labels of the sheet that are used already').fill('3');
    const query = await shown(page);
    is(query.get('ids').split(',').length, 2, 'the labels are those of the selected samples');
    is([query.get('of'), query.get('size'), query.get('skip')].join(), 'sample,A4-24,3',
        'they are printed on the sheet that was chosen, behind the used labels');
    await press(page, 'Escape', 'Enter');
    await page.waitForSelector('.facts');
    await asked(page, 'p', 'Print labels of 1 sample');
    is(await size(page).inputValue(), 'A4-24', 'the size is remembered');
    is(await dialog(page).getByLabel('Labels of the sheet that are used already').inputValue(), '0',
        'how many labels were used is not remembered');
    await printer(page).selectOption('zpl');
    await size(page).selectOption('ROLL-76X25');
    const zpl = await saved(page);
    const id = await page.textContent('h1.id');
    ok(zpl.includes(`^FD>:${id}^FS`), 'it has the sample of the page', zpl);
}

// An order as it is after registering, and receiving its bottles.
async function arriving(page) {
    const { data: [client] } = await ask(page, 'GET', '/clients?limit=1');
    const { data: [material] } = await ask(page, 'GET', '/material-types?limit=1');
    const { order, samples: made } = await ask(page, 'POST', '/orders', { clientId: client.id,
        samples: Array.from({ length: 3 }, () => ({ materialTypeId: material.id,
            collectionDate: '2026-11-02' })) });
    await open(page, `/app/orders/${order.id}`);
    await page.waitForSelector('h1.id');
    await asked(page, 'p', 'Print labels of 3 samples');
    is(`${await printer(page).inputValue()} ${await size(page).inputValue()}`, 'zpl ROLL-76X25',
        'the printer is remembered');
    await printer(page).selectOption('pdf');
    await size(page).selectOption('A4-21');
    is((await shown(page)).get('ids'), made.map(({ id }) => id).join(), 'all samples of the order');

    await page.getByRole('button', { name: 'Receive 3 samples' }).click();
    await page.waitForSelector('#scan-next');
    for (const { trackingId } of made.slice(0, 2)) {
        await scan(page, trackingId);
    }
    await page.getByRole('button', { name: 'Print labels of 2 samples' }).waitFor();
    await asked(page, 'Control+p', 'Print labels of 2 samples');
    await dialog(page).getByLabel('One label for').selectOption('container');
    const query = await shown(page);
    is(`${query.get('of')} ${query.get('ids')}`,
        `container ${made.slice(0, 2).map(({ id }) => id).join()}`,
        'of what was received here, one for each container');
    is(await page.evaluate(() => document.querySelectorAll('.scans li .id').length), 2,
        'the scans are still there');
}

async function lots(page) {
    for (const kind of ['reagent', 'media']) {
        await open(page, `/app/${kind}-lots`);
        await page.waitForSelector('tr.cursor');
        await asked(page, 'p', 'Print labels of 1 lot');
        is((await shown(page)).get('of'), `${kind}-lot`, `a label of a ${kind} lot`);
    }
    await press(page, 'Enter');
    await page.waitForSelector('.facts');
    await asked(page, 'p', 'Print labels of 1 lot');
    is((await shown(page)).get('of'), 'media-lot', 'a label from the lot itself');
}

async function places(page) {
    await act('rows', `INSERT INTO lims.storage_location (organization_id, code, name)
        SELECT id, ?, ? FROM lims.organization WHERE code = ? RETURNING id`, 'AAA-KÜHL',
    'AAA', 'cedar-basin');
    await open(page, '/app/reference/storage-locations');
    await page.waitForSelector('tr.cursor');
    const good = page.locator('tbody tr').filter({ hasNotText: 'AAA-KÜHL' }).first();
    await good.click();
    await asked(page, 'p', 'Print labels of 1 storage place');
    is((await shown(page)).get('of'), 'storage-location', 'a label of a storage place');
    await page.locator('tbody tr').filter({ hasText: 'AAA-KÜHL' }).click();
    await asked(page, 'p', 'Print labels of 1 storage place');
    const [tab] = await Promise.all([page.context().waitForEvent('page'), press(page, 'Enter')]);
    await dialog(page).getByText(/only letters, digits and signs of ASCII/).waitFor();
    if (!tab.isClosed()) {
        await tab.waitForEvent('close');
    }
    is(page.context().pages().length, 1, 'a refusal is told in the question, and opens nothing');
    await press(page, 'Escape');
}

async function sizes(page) {
    await open(page, '/app/reference/label-sizes');
    await page.waitForSelector('tr.cursor');
    ok(/ROLL-102X51.*A4-21/s.test(await page.textContent('tbody')),
        'the sizes are reference data');
    await looks(page, 'label-sizes');
}

run(async (browser) => {
    const here = await desk(browser, { acceptDownloads: true });
    const { page, seen } = here;

    // Chromium asks for an icon of the tab that shows a PDF.
    seen.expected.push(/status of 409/, /status of 404/);
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ben);
    await page.waitForSelector('.rail');
    await open(page, '/app/samples');
    await samples(page);
    await arriving(page);
    await lots(page);
    await places(page);
    await sizes(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Accession: an order with mistakes, a block with unknown columns.
// Receiving its bottles: labels with every suffix, a wrong check character, a bottle twice,
// undoing, a deviation.
import { ask, desk, is, looks, ok, open, press, quiet, run, scan, signIn,
    twice, until } from './support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const lines = (page) => page.locator('.scans li .id').count();
const line = (page, n = 1) => page.textContent(`.scans li:nth-child(${n})`);
const answered = (page, n, name) => until(page, (expected) => {
    const all = [...document.querySelectorAll('.scans li .id')];
    return all.length === expected && !document.querySelector('.scans')
        .textContent.includes('Sending');
}, name, n);

const copy = (page, block) => page.evaluate((text) => navigator.clipboard.writeText(text), block);
const tab = (rows) => rows.map((row) => row.join('\t')).join('\n');
const sample = (n) => [`Tap ${n}`, `06:${10 + n % 50}`, `COC-77${10 + n}`];
const block = (count, from = 1) => tab([['Location', 'Collected', 'COC'],
    ...Array.from({ length: count }, (_, i) => sample(from + i))]);
const filled = (page, count) => until(page, (name) => [...document.querySelectorAll('.head .btn')]
    .some((button) => button.textContent.startsWith(name)), `${count} samples stand in the sheet`,
`Register ${count} sample`);
const cell = (row, column) => `tr[data-row="${row}"] td[data-column="${column}"]`;

async function toAccession(page) {
    await page.locator('.rail').getByRole('link', { name: 'Accession' }).click();
    await page.waitForSelector('.grid .editing');
    is(await page.evaluate(() => document.activeElement.name), 'client',
        'one begins with whose it is');
}

async function discard(page, name) {
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.locator('[role=dialog]').getByRole('button', { name: /^Discard/ }).click();
    await until(page, () => document.querySelector('[name=client]').value === '', name);
}

// The clients are read slowly: an order that is checked meanwhile is one of a known client.
async function lateNames(page) {
    let goOn;
    const late = new Promise((resolve) => {
        goOn = resolve;
    });
    await page.route('**/api/clients?*', async (route) => {
        await late;
        await route.continue();
    });
    await toAccession(page);
    await page.keyboard.insertText('Mesa Verde Water District');
    await page.fill('[name=material]', 'DW');
    await page.fill('[name=tests]', 'PB');
    await page.fill('[name=collected]', '2026-11-02');
    await page.click(cell(0, 0));
    await page.keyboard.insertText('Tap of late names');
    await press(page, 'Enter', 'Control+s');
    goOn();
    await until(page, () => /Checked 1 row: all are right/.test(
        document.querySelector('main').textContent) && !document.querySelector('.sheet .refusal'),
    'the check waits for the names of clients');
    await page.unroute('**/api/clients?*');
    await discard(page, 'the order is discarded');
    await page.locator('.rail').getByRole('link', { name: 'Samples' }).click();
    await page.waitForSelector('tr.cursor');
}

// The first order is written whole, with mistakes; nothing of it can be registered before.
async function mistakes(page) {
    await toAccession(page);
    await page.getByText(/^Allowance: [\d,]+ left this month$/).waitFor();
    await page.keyboard.insertText('Mesa Verde Water District');
    await page.fill('[name=project]', 'MVWD-LCR, Lead and copper rule');
    await page.fill('[name=tests]', 'PB, CU');
    await page.fill('[name=material]', 'Drinking water');
    await page.fill('[name=collected]', '2026-11-02');
    await looks(page, 'order-empty');
    await page.click(cell(0, 0));
    await copy(page, tab([['Location', 'Matrix', 'Collected', 'COC', 'Notes'],
        ['Tap 1', '', '06:15', 'COC-0407', 'Built 1951'], ['Tap 2', 'Wine', '06:20', 'COC-7702', ''],
        ['Tap 3', '', '11/12/2026', 'COC-7703', '']]));
    await press(page, 'Control+v');
    await filled(page, 3);
    ok(/3 rows × 5 columns pasted.*Location, Material, Collected, External id, Notes/s.test(
        await page.textContent('.banner')), 'headings that are known need no question');
    await press(page, 'Control+Enter');
    await page.getByText('0 are right, 3 refused').waitFor();
    const said = await page.textContent('.problems');
    ok(/Row 1, External id.*has this value already/.test(said), 'each mistake is told at its cell',
        said);
    ok(/Row 2, Material.*No material is called Wine/.test(said), 'the mistake names the material that nothing has');
    ok(/Row 3, Collected.*Write the time/.test(said), 'the mistake of an uncertain day asks for the time');
    is(await page.locator('.grid td[aria-invalid]').count(), 3, 'no other cell is marked as wrong');
    ok(await page.getByRole('button', { name: /^Register 3 samples/ })
        .getAttribute('aria-disabled'), 'nothing can be registered until they are mended');
    await looks(page, 'order-refused');
}

// An order is registered alone: the typed parts of a receipt are not dropped unsaid.
async function withReceipt(page) {
    await page.fill('[name=temperature]', '4.2');
    await page.fill('[name=condition]', 'ice melted');
    await press(page, 'Control+Enter');
    const asking = page.getByRole('dialog', { name: 'Register 1 sample without the receipt' });
    ok(/Cooler, °C: 4\.2.*Condition: ice melted/.test(await asking.textContent()),
        'it is asked whether the receipt is left out', await asking.textContent());
    await looks(page, 'order-without-receipt');
    await press(page, 'Escape');
    is(await page.inputValue('[name=temperature]'), '4.2', 'until then it stays where it was typed');
    await page.fill('[name=temperature]', '');
    await page.fill('[name=condition]', '');
}

// A client whom nobody knows is made on purpose, and the order goes on.
async function newClient(page) {
    await toAccession(page);
    await page.keyboard.insertText('Juniper Mutual');
    await page.fill('[name=material]', 'Drinking water');
    await page.fill('[name=tests]', 'PB');
    await page.fill('[name=collected]', '2026-11-03');
    await page.fill('[name=time]', '08:15');
    await page.click(cell(0, 0));
    await page.keyboard.insertText('Spring box');
    await press(page, 'Enter', 'Control+s');
    await page.getByText('No client is called Juniper Mutual.').waitFor();
    await page.getByRole('button', { name: 'Add Juniper Mutual as a new client' }).click();
    await page.waitForSelector('.filling');
    is(await page.getByRole('dialog').getByLabel('Name', { exact: true }).inputValue(),
        'Juniper Mutual', 'its form begins with the name');
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill('JUNIPER');
    const sent = [];
    page.on('request', (request) => request.method() === 'POST'
        && request.url().endsWith('/api/clients') && sent.push(request));
    await twice(page, '**/api/clients?*', () => page.getByRole('dialog')
        .getByRole('button', { name: 'Create a client' }).click());
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    is(sent.length, 1, 'a form is sent once, also when its button is pressed twice');
    await press(page, 'Control+s');
    await page.getByText(/Checked 1 row:.*all are right/).waitFor();
    await withReceipt(page);
    await press(page, 'Control+Enter');
    await page.waitForSelector('h1.id');
    const id = await page.locator('tbody th a').first().getAttribute('href');
    const { clientName, collectedAt } = await ask(page, 'GET', id.replace('/app', ''));
    is([clientName, collectedAt].join(), 'Juniper Mutual,2026-11-03T15:15:00.000Z',
        'the order is the new client\'s, collected when its head says');
    await page.locator('.rail').getByRole('link', { name: 'Orders' }).click();
    await page.waitForSelector('tr.cursor');
    await looks(page, 'orders');
}

async function mending(page) {
    await page.click('.rail a[href$="/samples"]');
    await page.waitForSelector('tr.cursor');
    await page.locator('.top').getByRole('link', { name: 'Order of 3 samples not registered' })
        .click();
    await filled(page, 3);
    const mended = [[0, 5, 'COC-7701'], [1, 1, 'DW'], [2, 3, 'Nov 2 06:25']];
    for (const [row, column, text] of mended) {
        await page.click(cell(row, column));
        await page.keyboard.insertText(text);
    }
    await press(page, 'Control+s');
    await page.getByText(/Checked 3 rows:.*all are right/).waitFor();
    await press(page, 'Control+Enter');
    await page.waitForSelector('h1.id');
    ok(/3 samples registered as order/.test(await page.textContent('.said')),
        'the three are registered');
    ok(/0 of 3 received/.test(await page.textContent('.head')), 'the new order waits to be received');
    await looks(page, 'order');
    await press(page, 'e');
    await page.getByLabel('Contact').fill('Samuel Ortega');
    await looks(page, 'order-change');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.head').textContent.includes('Samuel Ortega'),
        'its contact is changed');
    await page.locator('.head').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'New order like this' }).click();
    await until(page, () => document.querySelector('[name=tests]')?.value === 'PB, CU'
        && document.querySelector('[name=client]').value === 'Mesa Verde Water District',
    'it is the template of another');
    ok(page.url().endsWith('/orders/new'), 'the template is taken once', page.url());
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.locator('[role=dialog]').getByRole('button', { name: /^Discard/ }).click();
    await page.getByText('Like one of the last orders').waitFor();
    await until(page, () => /Mesa Verde Water District/.test(
        document.querySelector('.banner')?.textContent),
    'before a client is said, the last orders say whose they are');
    await page.goBack();
    await page.waitForSelector('h1.id');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Samuel Ortega').nth(1).waitFor();
    ok(true, 'the history of the order names its contact');
}

// A block with a heading that nothing has; then the columns are chosen.
async function columns(page) {
    await toAccession(page);
    await page.keyboard.insertText('City of Riverbend');
    await page.click(cell(0, 0));
    await copy(page, tab([['Site', 'Weather', 'Material'], ['Outfall', 'Rain', 'WWE'],
        ['Upstream', 'Rain', 'SW']]));
    await press(page, 'Control+v');
    await page.waitForSelector('[role=dialog] select');
    await looks(page, 'order-columns');
    await page.getByLabel('Goes into: Weather').selectOption('Notes');
    await press(page, 'Enter');
    await filled(page, 2);
    ok((await page.textContent(cell(1, 6))).startsWith('Rain'), 'a column goes where it was said');
    await page.waitForSelector('.grid .editing input:focus');
    await press(page, 'Control+z');
    is(await page.textContent(cell(1, 0)), '', 'the paste is one step');
    await discard(page, 'what is discarded is gone');
}

// Registers an order of twelve, numbered from one on, to be received by its labels.
async function awaited(page, from) {
    await page.locator('.rail').getByRole('link', { name: 'Samples' }).click();
    await page.waitForSelector('tr.cursor');
    await toAccession(page);
    await page.keyboard.insertText('Mesa Verde Water District');
    await page.fill('[name=material]', 'DW');
    await page.fill('[name=collected]', '2026-11-02');
    await page.click(cell(0, 0));
    await copy(page, block(12, from));
    await press(page, 'Control+v');
    await filled(page, 12);
    await press(page, 'Control+Enter');
    await page.waitForSelector('h1.id');
    const name = await page.textContent('h1.id');
    const ids = await page.locator('tbody th .id').allTextContents();
    await page.getByRole('button', { name: 'Receive 12 samples' }).click();
    await page.waitForSelector('#scan-next');
    return { name, ids };
}

// A receipt is undone from the sample too, on the day on which it was made.
async function unreceive(page) {
    await page.locator('.head').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Undo the receipt of 1 sample' }).click();
    await page.fill('#reason', 'It is another client\'s bottle');
    await press(page, 'Enter');
    await until(page, () => /The receipt of 1 sample is undone/.test(
        document.querySelector('.said')?.textContent), 'the receipt is undone from the sample');
    await page.locator('.head').getByRole('button', { name: /^Receive 1 sample/ }).click();
    await until(page, () => /1 sample received/.test(document.querySelector('.said')?.textContent),
        'the sample is received again');
}

// Registered, and not received for want of a network: the receipt waits at the order, as typed.
async function receiptAgain({ page, seen }) {
    seen.expected.push(/ERR_CONNECTION_RESET/);
    await page.locator('.rail').getByRole('link', { name: 'Samples' }).click();
    await page.waitForSelector('tr.cursor');
    await toAccession(page);
    await page.keyboard.insertText('Mesa Verde Water District');
    await page.fill('[name=material]', 'DW');
    await page.fill('[name=collected]', '2026-11-02');
    await page.fill('[name=temperature]', '6.4');
    await page.click(cell(0, 0));
    await copy(page, tab([['Location', 'Bottles'], ['Dock 1', '3'], ['Dock 2', '']]));
    await press(page, 'Control+v');
    await filled(page, 2);
    await page.route('**/samples/receive', (route) => route.abort('connectionreset'),
        { times: 1 });
    await press(page, 'Control+Shift+Enter');
    await page.getByRole('dialog', { name: 'Print labels of 2 samples' }).waitFor();
    await press(page, 'Escape');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    const again = page.getByRole('button', { name: 'Receive 2 samples again' });
    await again.waitFor();
    await looks(page, 'order-not-received');
    const order = page.url();
    await page.click('.rail a[href$="/samples"]');
    await page.waitForSelector('tr.cursor');
    await page.locator('.top').getByRole('link', { name: /^Receipt of ORD-.* failed$/ }).click();
    await again.click();
    await until(page, () => /2 samples received/.test(
        document.querySelector('.said')?.textContent), 'the samples are received by the kept receipt');
    is(page.url(), order, 'the top bar led back to the order');
    await again.waitFor({ state: 'detached' });
    const href = await page.locator('tbody th a').first().getAttribute('href');
    const { receipt } = await ask(page, 'GET', href.replace('/app', ''));
    is([receipt.containers, receipt.temperature].join(), '3,6.4',
        'containers and temperature are those that were typed');
}

// The sample of a bottle with a deviation: received once, and what was found is changed.
async function changingReceipt(page) {
    const { data } = await ask(page, 'GET',
        `/samples/${page.url().match(/samples\/(\d+)/)[1]}/events`);
    is(data.filter(({ type }) => type === 'sample.received').length, 1,
        'the sample is received once, with its deviation');
    await page.locator('.head').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change the receipt' }).click();
    await page.getByLabel('Deviations').fill('Cap cracked');
    await page.getByLabel('Containers').fill('2');
    await looks(page, 'sample-receipt');
    await ask(page, 'PATCH', `/samples/${page.url().match(/samples\/(\d+)/)[1]}/receipt`,
        { containers: 5, condition: 'Intact, no ice', reason: 'Counted again' });
    await page.getByLabel('Containers').press('Enter');
    await page.waitForSelector('#refusal');
    await page.getByLabel('Deviations').fill('Cap cracked, leaking');
    await page.getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, () => /changed “Containers”, which is now 5/.test(
        document.querySelector('[role=dialog]')?.textContent), 'what somebody else changed is said');
    is(await page.getByLabel('Condition').inputValue(), 'Intact, no ice', 'their change is kept');
    is(await page.getByLabel('Deviations').inputValue(), 'Cap cracked, leaking', 'mine is kept, too');
    await looks(page, 'sample-receipt-changed');
    await page.getByLabel('Containers').press('Enter');
    await until(page, () => /2 containers, .*Cap cracked, leaking/.test(
        document.querySelector('.facts')?.textContent), 'what was found is changed on the sample');
    ok(/Intact, no ice/.test(await page.textContent('.facts')), 'with what somebody else had found');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
}

// A second deviation is noted beside the first.
async function deviating(page) {
    await page.locator('.scans li').first().getByRole('button', { name: 'Deviation' }).click();
    await page.fill('#reason', 'Cap cracked');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Cap cracked', exact: true }).click();
    await page.waitForSelector('#reason');
    ok(/Noted already: Cap cracked\./.test(await page.getByRole('dialog').textContent()),
        'a deviation that is noted already is seen');
    await page.keyboard.type(', not leaking', { delay: 60 });
    await looks(page, 'receive-deviation');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Cap cracked, not leaking' }).waitFor();
}

async function receiving(page) {
    const { name, ids } = await awaited(page, 40);
    await page.fill('[inputmode=decimal]', '4.1');
    await page.focus('#scan-next');
    const suffixes = ['Enter', 'Tab', ','];
    for (const [i, id] of ids.slice(0, 9).entries()) {
        await scan(page, id, suffixes[i % 3]);
    }
    await answered(page, 9, 'nine labels are nine lines, whatever their suffix');
    await until(page, () => /9 of 12/.test(document.querySelector('.beside .count')?.textContent),
        'the bottles of the order are counted');
    ok((await page.textContent('.head')).includes(name), 'the order of the bottles is named');
    is(await page.locator('#scan-next').inputValue(), '', 'the field is empty for the next one');
    is(await page.evaluate(() => document.activeElement.id), 'scan-next', 'the field for scans has the focus');
    ok(/missing: Tap 49, Tap 50, Tap 51/.test(await page.textContent('.beside .count')),
        'what is missing is named');

    const wrong = ids[9].slice(0, -1) + (ids[9].endsWith('7') ? '8' : '7');
    await scan(page, wrong);
    await answered(page, 10, 'a wrong check character is a line');
    ok(/Refused.*Check character wrong/.test(await line(page)),
        'the line says that the check character is wrong', await line(page));
    await page.route('**/api/people?*', (route) => route.continue({
        url: route.request().url().replace(/limit=\d+/, 'limit=1') }));
    await scan(page, ids[0]);
    await answered(page, 11, 'a bottle is scanned again');
    await page.unroute('**/api/people?*');
    ok(/Already.*by Ben Walsh/.test(await line(page)),
        'the line says who received the bottle, of however many people', await line(page));
    await page.locator('[inputmode=decimal]').focus();
    await scan(page, ids[9]);
    await answered(page, 12, 'a scan in another field is a scan');
    is(await page.inputValue('[inputmode=decimal]'), '4.1', 'the scan fills no field');
    ok(/^Received/.test(await line(page)), 'the scan receives the sample', await line(page));
    await looks(page, 'receive');

    // A scan can be undone for a minute, which the picture may have taken.
    await scan(page, ids[10]);
    await answered(page, 13, 'another bottle is scanned');
    await page.getByRole('button', { name: /^Undo, \d+ s left/ }).click();
    await until(page, () => /^Undone/.test(document.querySelector('.scans li').textContent),
        'the last scan is undone');
    await until(page, () => /10 of 12/.test(document.querySelector('.beside .count').textContent),
        'the bottle of the undone scan is missing again');
    for (const id of ids.slice(10)) {
        await scan(page, id);
    }
    await answered(page, 15, 'the rest is scanned');
    await until(page, () => /12 of 12 received, all are here/.test(
        document.querySelector('.beside .count').textContent), 'all are here');
    await deviating(page);
    await page.locator('.scans li a').first().click();
    await page.waitForSelector('.facts');
    ok(/4\.1 °C, Cap cracked, not leaking/.test(await page.textContent('.facts')),
        'temperature and deviation are recorded', await page.textContent('.facts'));
    await changingReceipt(page);
    await unreceive(page);
    await page.goBack();
    await page.waitForSelector('#scan-next');
    is(await lines(page), 15, 'the scans are still there');
    await page.getByRole('button', { name: 'End', exact: true }).click();
    is(await lines(page), 0, 'ending begins anew');
}

// Scans that wait are named in the top bar when their page is left, and lead back to it.
async function waiting({ page, context, seen }) {
    seen.expected.push(/ERR_INTERNET_DISCONNECTED/);
    const { ids } = await awaited(page, 70);
    await context.setOffline(true);
    await scan(page, ids[0]);
    await scan(page, `${ids[1].slice(0, -1)}${ids[1].endsWith('7') ? '8' : '7'}`);
    await until(page, () => /2 not sent yet/.test(document.querySelector('.statusline').textContent),
        'without a network scans wait');
    is(await page.locator('.top a.status').count(), 0, 'the page that is shown names its scans itself');
    await page.locator('.rail').getByRole('link', { name: 'Samples' }).click();
    const left = page.locator('.top').getByRole('link', { name: '2 scans not sent yet' });
    await left.waitFor();
    await looks(page, 'receive-left');
    await context.setOffline(false);
    await page.locator('.top').getByRole('link', { name: /^1 scan refused$/ }).click();
    await page.waitForSelector('#scan-next');
    ok(/Check character wrong/.test(await line(page)), 'it leads to the scan that was refused',
        await line(page));
    ok(/^Received/.test(await line(page, 2)), 'the other scan is received meanwhile',
        await line(page, 2));
    await page.locator('.rail').getByRole('link', { name: 'Samples' }).click();
    await page.waitForSelector('tr.cursor');
    is(await page.locator('.top a.status').count(), 0, 'what was seen is named no more');
}

run(async (browser) => {
    const here = await desk(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = here;

    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ben);
    await page.waitForSelector('.rail a[href$="/receive"]');
    await lateNames(page);
    await newClient(page);
    await mistakes(page);
    await mending(page);
    await columns(page);
    await receiptAgain(here);
    here.seen.expected.push(/status of 412/);
    await receiving(page);
    await waiting(here);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Acts on a sample beside the usual way.
import { ask, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const grace = 'grace.okafor@cedarbasin.example';

const saying = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), `it says: ${text}`, text);

const gone = (page) => page.locator('[role=dialog]').waitFor({ state: 'detached' });

const first = async (page, query) => (await ask(page, 'GET', `/samples?${query}&limit=1`)).data[0];

async function openSample(page, id) {
    await open(page, `/app/samples/${id}`);
    await page.waitForSelector('.tall tbody tr');
}

// The act by its name, by keyboard alone.
async function quickly(page, name) {
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await page.keyboard.insertText(name);
    await press(page, 'Enter');
    await page.waitForSelector('#quick', { state: 'detached' });
}

// Items of the menu of the first test that `fits`.
async function actsOn(page, text) {
    const row = page.locator('.tall tbody tr', { hasText: text }).first();
    await row.getByRole('button', { name: /^Acts on/ }).click();
    await page.waitForSelector('[role=menuitem]');
    const items = await page.locator('[role=menuitem]').allTextContents();
    await press(page, 'Escape');
    return items.join(', ');
}

async function completingAgain(page) {
    const { data: [{ id, sampleId }] } = await ask(page, 'GET',
        '/approval-records?status=pending&mine=true&limit=1');
    await ask(page, 'PATCH', `/approval-records/${id}`,
        { status: 'rejected', comment: 'The raw data are missing' });
    const { status } = await ask(page, 'GET', `/samples/${sampleId}`);
    await openSample(page, sampleId);
    const again = page.locator('.beside').getByRole('button', { name: 'Complete 1 sample again' });
    await again.waitFor();
    await looks(page, 'sample-rejected');
    await again.click();
    await page.fill('#reason', 'The raw data are attached');
    await press(page, 'Enter');
    await saying(page, '1 sample completed again');
    await gone(page);
    is((await ask(page, 'GET', `/samples/${sampleId}`)).status, status,
        'the sample is what it was before the rejection');
    const { data } = await ask(page, 'GET', `/samples/${sampleId}/approvals?limit=100`);
    const round = Math.max(...data.map((one) => one.round));
    ok(data.filter((one) => one.round === round).every((one) => one.status === 'pending'),
        'all steps are asked for again', JSON.stringify(data));
    await until(page, () => !/was rejected/.test(document.querySelector('.beside')?.textContent),
        'the rejection blocks nothing any more');
    return sampleId;
}

async function settingStatus(page, id) {
    await quickly(page, 'Set the status');
    await page.selectOption('#chosen', { label: 'Processing' });
    await looks(page, 'sample-status');
    await press(page, 'Tab', 'Enter');
    await page.waitForSelector('#refusal');
    ok(/reason/.test(await page.textContent('#refusal')), 'a step back needs a reason');
    await page.focus('#reason');
    await page.keyboard.insertText('One result is to be looked at');
    await press(page, 'Enter');
    await saying(page, 'is processing');
    await gone(page);
    is((await ask(page, 'GET', `/samples/${id}`)).status, 'processing', 'the status is set');
    await until(page, () => [...document.querySelectorAll('.head .btn')]
        .some(({ textContent }) => textContent === 'Complete 1 sample'),
    'a sample whose tests all have results can be completed');
}

async function onHold(page, id) {
    await ask(page, 'POST', `/samples/${id}/disposition`,
        { disposition: 'on_hold', reason: 'The client was asked' });
    await openSample(page, id);
    ok(/Reopen/.test(await actsOn(page, 'Verified')), 'a result of a sample on hold is reopened');
    await looks(page, 'sample-on-hold');
}

async function disposing(page) {
    const { id, trackingId } = await first(page, 'status=reported&disposition=active&order=-id');
    await openSample(page, id);
    await quickly(page, 'Dispose');
    await page.fill('#reason', 'Kept for 30 days');
    await looks(page, 'sample-dispose');
    await page.focus('#reason');
    await press(page, 'Enter');
    await saying(page, '1 sample disposed of');
    await gone(page);
    is((await ask(page, 'GET', `/samples/${id}`)).disposition, 'disposed', 'it is disposed of');
    is(await page.locator('.facts').getByRole('link', { name: /^Edit/ }).count(), 0,
        'a reported sample is not changed');
    await press(page, 'a');
    await page.fill('#reason', 'The client found a wrong value');
    await page.fill('#sign', process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await saying(page, `amendment of ${trackingId} is open`);
    await gone(page);
    await page.locator('.facts').getByRole('link', { name: /^Edit/ }).waitFor();
    ok(/Reopen/.test(await actsOn(page, 'Verified')),
        'a result of an amended sample is reopened, also when the sample is disposed of');
}

// A test with a result is cancelled by whoever answers for results, and none without one.
async function cancelling(page) {
    const { data } = await ask(page, 'GET',
        '/sample-tests?status=entered&sampleStatus=received&limit=1');
    const { sampleId, testCode } = data[0];
    await openSample(page, sampleId);
    const of = async (text) => actsOn(page, text);
    ok((await of(testCode)).includes(`Cancel ${testCode}`),
        'a test with a result is cancelled by who verifies', await of(testCode));
    await open(page, '/app/samples');
    const { data: [open1] } = await ask(page, 'GET', '/sample-tests?status=pending&limit=1');
    await openSample(page, open1.sampleId);
    is(await page.locator(`#test-${open1.id}`).getByRole('button', { name: /^Acts on/ }).count(), 1,
        'a test without a result has its acts');
    await page.locator(`#test-${open1.id}`).getByRole('button', { name: /^Acts on/ }).click();
    await page.waitForSelector('[role=menuitem]');
    is(await page.getByRole('menuitem', { name: /^Cancel/ }).count(), 0,
        'a test without a result is not cancelled by who cannot change an order');
}

// Where there is room, the list says when a sample was collected, also where only the day is known.
async function collected(page) {
    const { id: materialTypeId } = (await ask(page, 'GET', '/material-types?limit=1')).data[0];
    const { trackingId } = await ask(page, 'POST', '/samples', { materialTypeId,
        clientName: 'City of Riverbend', collectionDate: '2026-10-09' });
    await page.setViewportSize({ width: 1920, height: 1080 });
    await open(page, '/app/samples');
    const row = page.locator('table[role=grid] tbody tr', { hasText: trackingId });
    await row.waitFor();
    const titles = await page.locator('table[role=grid] thead th:visible').allInnerTexts();
    const at = titles.findIndex((title) => /^Collected/i.test(title.trim()));
    ok(at > 0, 'a wide list has the column of the collection', titles.join());
    ok(/Oct 9/.test(await row.locator('th:visible, td:visible').nth(at).innerText()),
        'a day alone stands there, too', await row.innerText());
    await looks(page, 'samples-wide');
    await row.click();
    await press(page, 'Space');
    await until(page, () => /Collected\s*Oct 9/.test(
        document.querySelector('.peek .pairs')?.textContent), 'the peek has the day as well');
    await press(page, 'Escape');
    await page.setViewportSize({ width: 1366, height: 768 });
}

// A certificate that there is already is not offered, neither as the next step nor at all.
async function certified(page) {
    const ripe = await first(page, 'releaseState=ready_to_report&disposition=active');
    await ask(page, 'POST', `/samples/${ripe.id}/report`);
    const { data } = await ask(page, 'GET',
        '/samples?status=reported&include=progress&order=-id&limit=50');
    const issue = page.locator('.head').getByRole('button', { name: 'Issue the certificate' });
    for (const [has, expected] of [[true, 0], [false, 1]]) {
        const { trackingId } = data.find((one) => (one.certificateId !== undefined) === has
            && one.amendment === null);
        await open(page, `/app/samples?q=${trackingId}`);
        await page.locator('tr.cursor', { hasText: trackingId }).waitFor();
        await press(page, 'x');
        await page.locator('.head').getByRole('button', { name: /^Amend/ }).waitFor();
        is(await issue.count(), expected,
            `a certificate is ${has ? 'not ' : ''}offered for a sample that has ${has ? 'one' : 'none'}`);
    }
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;
    here.seen.expected.push(/status of 409/);

    await open(page, '/app/samples');
    await signIn(page, lena);
    await page.waitForSelector('tr.cursor');
    const id = await completingAgain(page);
    await settingStatus(page, id);
    await onHold(page, id);
    await disposing(page);
    await collected(page);
    await certified(page);
    quiet(here);

    const quality = await desk(browser);
    await open(quality.page, '/app/samples');
    await signIn(quality.page, grace);
    await quality.page.waitForSelector('tr.cursor');
    await cancelling(quality.page);
    quiet(quality, 'the browser of the other one');
});

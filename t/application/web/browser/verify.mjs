// SPDX-License-Identifier: Apache-2.0
//
// Reviewing results: what needs a look is open, the rest ticked; one password signs all.
import { ask, desk, drawn, hold, is, looks, ok, open, press, quiet, run, signIn, until,
    wholeOnTablet } from './support.mjs';
import { unsigned } from './unsigned.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const mateo = 'mateo.ortiz@cedarbasin.example';
const yuki = 'yuki.tanaka@cedarbasin.example';
const said = (page) => page.textContent('.said');
const ticked = (page) => page.locator('tbody input:checked').count();
const refusal = (page, pattern, name) => until(page, (expected) =>
    new RegExp(expected).test(document.querySelector('#refusal')?.textContent), name, pattern);

async function opened(page, person) {
    await open(page, '/app/verify');
    await signIn(page, person);
    await page.waitForSelector('tr.cursor');
}

async function queue(page) {
    const sum = await page.textContent('.head');
    ok(/32 results in \d+ runs/.test(sum), 'the queue by run', sum);
    is(await ticked(page), 18, 'ticked are those that need no look');
    ok(/Out of specification: 16\.2 ug\/L/.test(await page.textContent('.look:not(.stop)')),
        'what is out of specification is open, and says so');
    const refused = await page.locator('tr.stop', { hasText: 'media_qc_failed' }).first().textContent();
    ok(/Media lot .* failed .*media_qc_failed\s*$/.test(refused.replace(/Send back.*/, '')),
        'what is refused says by what in words, and last by its code', refused);
    ok(/code of this refusal/.test(await page.getByText('media_qc_failed', { exact: true }).first()
        .getAttribute('title')), 'the code has a title that says what it is');
    ok(/\/media-lots\/\d+$/.test(await page.locator('tr.stop').getByRole('link',
        { name: 'Go to the media lot' }).first().getAttribute('href')), 'the refusal leads to the media lot');
    is(await page.locator('tbody input:disabled').count(),
        await page.locator('tr.look.stop').count(), 'results that are refused cannot be ticked');
    await looks(page, 'verify-queue');
    await wholeOnTablet(page, 'Last 3 here');
    for (let open = 2; open > 0; open--) {
        await page.locator('tbody tr:has(input:enabled:not(:checked)) th').first().click();
        await press(page, 'v');
    }
    is(await ticked(page), 20, 'v ticks the row');
    await press(page, 'v', 'v');
    is(await ticked(page), 20, 'v unticks the row again');
    const here = await page.textContent('tr.cursor');
    await press(page, 'Enter');
    await page.waitForSelector('.facts');
    await page.goBack();
    await page.waitForSelector('tr.cursor');
    is(await ticked(page), 20, 'what was ticked is ticked when one comes back from a sample');
    is(await page.textContent('tr.cursor'), here, 'Back restores the cursor, too');
}

// Every result of an instrument file leads to its row of it, also those that need no look.
async function fromFiles(page) {
    const { data } = await ask(page, 'GET', '/sample-tests?status=entered&include=review&limit=200');
    const quiet = data.filter(({ review }) => review.source && !review.blockers?.length);
    const links = page.locator('tbody tr:has(input) a[href*="/instrument-files/"][href*="row="]');
    ok(quiet.length > 0, 'results of files wait to be verified');
    is(await links.count(), data.filter(({ review }) => review.source).length,
        'each leads to its row of the file');
    const [{ id, sampleId, review: { source } }] = quiet;
    await open(page, `/app/samples/${sampleId}`);
    await page.locator(`#test-${id} a[title="${source.fileName}, row ${source.row}"]`).waitFor();
    ok(true, 'a result of a file leads to its row on the page of its sample, too');
}

// Keys and clicks that wait while the page is busy: no timer comes between them, as of a person's.
const lateInputs = (page, inputs) => page.evaluate(async (inputs) => {
    const begin = performance.now();
    const dispatch = (target, event, at) => target.dispatchEvent(
        Object.defineProperty(event, 'timeStamp', { value: begin + at }));
    for (const { key, row, at } of inputs) {
        const of = row === undefined ? document.activeElement
            : document.querySelectorAll('tbody tr:has(input:enabled)')[row];
        if (key) {
            dispatch(of, new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }), at);
        } else {
            dispatch(of, new PointerEvent('pointerdown', { bubbles: true }), at);
            of.click();
        }
        await new Promise(queueMicrotask);
    }
}, inputs);

const tickedRows = (page) => page.evaluate(() =>
    [...document.querySelectorAll('tbody input:enabled')].map(({ checked }) => checked));

async function inOrder(page) {
    const before = await tickedRows(page);
    const three = [{ row: 2, at: 0 }, { key: 'v', at: 50 }, { row: 5, at: 100 }, { key: 'v', at: 150 },
        { key: 'j', at: 200 }, { key: 'v', at: 250 }];
    await lateInputs(page, three);
    await drawn(page);
    const after = await tickedRows(page);
    is(String(after.flatMap((one, i) => one === before[i] ? [] : [i])), '2,5,6',
        'keys and clicks that a busy page gets to late act on the rows they were meant for');
    const downAndUp = ['j', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'v']
        .map((key, i) => ({ key, at: 250 + 50 * i }));
    await lateInputs(page, [...three.slice(0, 4), { row: 6, at: 200 }, ...downAndUp]);
    await drawn(page);
    is(String(await tickedRows(page)), String(before), 'each key begins where the one before ended');
}

const shown = (page, search) => page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
}, `/app/verify${search}`);

// Until all is read that the rows are made of, and those that are asked for are there, none is
// shown as if it were one of them.
async function whileReading(page) {
    const methods = await hold(page, /\/api\/test-definitions\?/);
    const read = page.waitForResponse(/\/api\/sample-tests\?/);
    await page.reload();
    await (await read).finished();
    await drawn(page);
    is(await page.locator('tr.group').count(), 0, 'no run is shown before its method is known');
    await methods();
    await page.waitForSelector('tr.cursor');
    const rows = await hold(page, /\/api\/sample-tests\?.*priority=rush/);
    await shown(page, '?priority=rush');
    await until(page, () => document.querySelector('table.dim'),
        'rows of former filters are told from those that are read');
    await rows();
    await shown(page, '');
    await until(page, () => /32 results/.test(document.querySelector('.head')?.textContent)
        && !document.querySelector('table.dim'), 'without the filter all rows are there again');
}

async function sendingBack(page) {
    await page.locator('tr', { hasText: 'media_qc_failed' }).getByRole('button',
        { name: 'Send back' }).click();
    await page.fill('#reason', 'Repeat it on another lot');
    const to = page.getByLabel('To', { exact: true });
    ok(await to.locator('option').first().textContent() !== 'anybody',
        'a result goes back to whoever entered it, unless somebody is chosen');
    await to.selectOption({ label: 'Yuki Tanaka' });
    await page.locator('[role=dialog] [type=submit]').click();
    await until(page, () => /31 results/.test(document.querySelector('.head')?.textContent),
        'a result is sent back with a reason');
    const { data } = await ask(page, 'GET', '/sample-tests?status=entered&include=sample&limit=200');
    const { data: people } = await ask(page, 'GET', '/people?limit=200');
    const { assignedTo } = data.find(({ returned }) => returned?.reason === 'Repeat it on another lot');
    is(people.find(({ id }) => id === assignedTo)?.displayName, 'Yuki Tanaka', 'it is sent to whom was chosen');
    ok(/1 sent back/.test(await page.textContent('.statusline')), 'the foot says how many were sent back');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
}

async function wrongPasswords(page) {
    await press(page, 'V');
    await page.waitForSelector('#sign');
    for (const left of ['4 more tries', '3 more tries', '2 more tries', '1 more try']) {
        await page.fill('#sign', `not the password, ${left}`);
        await page.keyboard.press('Enter');
        await refusal(page, left, `a wrong password leaves ${left}`);
        is(await page.evaluate(() => document.activeElement?.id), 'sign',
            'the cursor stays where the password is typed again');
    }
    await page.fill('#sign', 'the last wrong one');
    await page.keyboard.press('Enter');
    await refusal(page, 'locked', 'the fifth locks the account');
    await press(page, 'Escape');
    const { data: [test] } = await ask(page, 'GET', '/sample-tests?status=pending&limit=1');
    const told = await ask(page, 'PATCH', `/sample-tests/${test.id}`, { result: '1' })
        .catch(({ message }) => message);
    ok(/account_locked/.test(told), 'a locked session enters no result', told);
}

async function changedMeanwhile(page) {
    const { data } = await ask(page, 'GET', '/sample-tests?status=entered&limit=100');
    const test = data.find(({ testCode }) => testCode === 'TSS');
    await ask(page, 'PATCH', `/sample-tests/${test.id}`, { result: '8.7' });
    return test;
}

async function signing(page, other) {
    await press(page, 'V');
    await page.waitForSelector('#sign');
    is(await page.locator('[role=dialog] tbody tr').count(), 20, 'all that is signed is listed');
    is(await page.evaluate(() => document.activeElement?.id), 'sign', 'the cursor is in the password');
    await looks(page, 'verify');
    const { result } = await changedMeanwhile(other);
    await page.fill('#reason', 'Compared with the raw data');
    await page.fill('#sign', process.env.LIMS_PASSWORD);
    await page.keyboard.press('Enter');
    await until(page, () => /It is now 8\.7 mg\/L/.test(
        document.querySelector('[role=dialog] tr.look')?.textContent),
        'what changed since it was seen refuses its row, and says what is there now');
    ok((await page.textContent('[role=dialog] tbody')).includes(result), 'the row shows what was seen before');
    is(await ask(page, 'GET', '/signatures?table=sample_test').then(({ data }) =>
        data.filter(({ reason }) => reason === 'Compared with the raw data').length), 0,
        'of a change since it was seen nothing is signed');
    await looks(page, 'verify-stale');
    await page.getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, () => !document.querySelector('[role=dialog] tr.look'),
        'what is there now can be signed');
    await page.focus('#sign');
    await page.keyboard.press('Enter');
    await until(page, () => /20 results verified/.test(document.querySelector('.said')?.textContent),
        'one password verifies 20 results');
    await until(page, () => !document.querySelector('[role=dialog]'),
        'the dialog is closed after signing');
    const { data } = await ask(page, 'GET', '/signatures?table=sample_test&limit=200');
    is(data.filter(({ reason, meaning, stands }) => reason === 'Compared with the raw data'
        && meaning === 'verified' && stands).length, 20, 'each verified result has a signature');
}

run(async (browser) => {
    const here = await desk(browser);
    const there = await desk(browser);
    const beside = await desk(browser);
    [here, there, beside].forEach(({ seen }) => seen.expected.push(/status of (403|409|412)/));

    await opened(there.page, mateo);
    await wrongPasswords(there.page);
    await opened(beside.page, yuki);
    await opened(here.page, lena);
    await fromFiles(beside.page);
    await whileReading(here.page);
    await queue(here.page);
    await inOrder(here.page);
    await sendingBack(here.page);
    await signing(here.page, beside.page);
    await unsigned(here.page, beside.page);
    quiet(here);
    quiet(there, 'the other browser');
    quiet(beside, 'the third browser');
});

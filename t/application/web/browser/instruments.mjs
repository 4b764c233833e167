// SPDX-License-Identifier: Apache-2.0
//
// Instrument files: a file is tried and imported, reasons are decided, the rest released.
// QC batches: one of a template, values judged and saved, one corrected; what a failure reaches.
// Control charts: what breaks a rule, a point that is left out.
import { desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const manager = 'lena.fischer@cedarbasin.example';
const officer = 'grace.okafor@cedarbasin.example';
const cursor = (page) => page.textContent('tr.cursor th');

async function begin(browser, email) {
    const here = await desk(browser);
    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, email);
    await here.page.waitForSelector('.rail a[href$="/qc-series"]');
    return here;
}

const held = (page) => page.locator('.cards .glyph.blocked').count();

async function drop(page, name, text) {
    await page.evaluate(([file, content]) => {
        const data = new DataTransfer();
        data.items.add(new File([content], file));
        for (const kind of ['dragover', 'drop']) {
            document.querySelector('.page').dispatchEvent(new DragEvent(kind,
                { bubbles: true, cancelable: true, dataTransfer: data }));
        }
    }, [name, text]);
}

async function inbox(page) {
    await open(page, '/app/instrument-files');
    await page.waitForSelector('tr.cursor');
    is(await cursor(page), 'cod-noon.csv', 'the newest file stands first');
    ok(/UV-1, Instrument PC/.test(await page.textContent('tr.cursor')), '... with who sent it');
    ok(/\(1\)/.test(await page.title()), 'the title says how many wait');
    await looks(page, 'instrument-files');
    await drop(page, 'late.csv', 'Sample Name,Dilution factor,Ordinate [A],'
        + 'Concentration [mg/L],Error\r\nBlank,1,0.1,0.4,\r\nNOWHERE,1,0.1,3,\r\n');
    await page.waitForSelector('[role=dialog]');
    ok(/late\.csv: 1 result, 1 reason; it would be held/.test(
        await page.textContent('[role=dialog]')), 'a file that is dropped is tried first');
    ok(/There is no sample NOWHERE/.test(await page.textContent('[role=dialog]')),
        '... with its reasons');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('tr.cursor th')?.textContent === 'late.csv',
        'then it is imported, and held');
}

async function reviewing(page) {
    await press(page, 'j');
    is(await cursor(page), 'cod-noon.csv', 'on to the other');
    await press(page, 'Enter');
    await page.waitForSelector('td[aria-invalid]');
    await page.waitForSelector('#decide:has-text("Decide 2 reasons")');
    is(await page.textContent('td[aria-invalid]'), 'Out of range', 'a bad cell is marked');
    ok(/does not know the flag/.test(await page.textContent('tr.why')), '... its reason under it');
    is(await page.locator('[aria-disabled=true]').textContent(), 'Release 0 results',
        'it cannot be released so');
    await press(page, 'n');
    await page.waitForSelector('#means input[type=radio]');
    is(await page.getAttribute('tr.cursor', 'data-row'), '3', 'n goes to the next reason');
    await looks(page, 'instrument-file');
    await press(page, 'a');
    await page.keyboard.insertText('The analyst typed the place instead of scanning');
    await page.locator('#means button').click();
    await until(page, () => /Read as CB-26-\d+-\w by Lena Fischer/.test(
        document.querySelector('.cards')?.textContent), 'the row means another sample');
    await page.click('td[aria-invalid]');
    await press(page, 'x');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('Above the calibration, repeated at 1:10');
    await press(page, 'Enter');
    await until(page, () => /Release 1 result/.test(document.querySelector('.btn.primary')?.textContent),
        'the other row is left out: one result would be written');
    is(await held(page), 0, 'nothing holds the file');
    ok(/Left out by Lena Fischer/.test(await page.textContent('.cards')), 'who decided stands there');
    await page.click('.btn.primary');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('Checked with the analyst');
    await press(page, 'Enter');
    await until(page, () => /Released/.test(document.querySelector('.head')?.textContent),
        'it is released');
    ok(/1 result written/.test(await page.textContent('.statusline')), '... with its result');
}

// A template has no page of its own yet.
const makeTemplate = (page) => page.evaluate(async () => {
    const ask = async (path, rest = {}) => (await fetch(`/app/api${path}`, { ...rest, headers: {
        'X-Lims-Request': '1', 'Content-Type': 'application/json', ...rest.headers } })).json();
    const session = { 'X-Lims-Session': String((await ask('/session')).id) };
    const { data } = await ask('/test-definitions?limit=200', { headers: session });
    const arsenic = data.find(({ code }) => code === 'AS').id;
    return ask('/qc-templates', {
        method: 'POST', headers: { ...session, 'Idempotency-Key': crypto.randomUUID() },
        body: JSON.stringify({ method: 'EPA 200.8', name: 'Blank and spike', controls: [
            { type: 'LRB', testDefinitionId: arsenic, criterion: 'maximum', upperLimit: 0.5, unit: 'ug/L' },
            { type: 'LFB', testDefinitionId: arsenic, criterion: 'recovery', expectedValue: 50,
                lowerLimit: 85, upperLimit: 115, unit: 'ug/L' },
        ] }),
    });
});

async function batches(page) {
    ok((await makeTemplate(page)).id > 0, 'a method has a template');
    await open(page, '/app/qc-batches');
    await page.waitForSelector('tr.cursor');
    is(await cursor(page), 'QCB-0106', 'the newest batch stands first');
    await looks(page, 'qc-batches');
    await page.getByRole('button', { name: 'New batch' }).click();
    await page.getByRole('menuitem', { name: 'EPA 200.8: Blank and spike' }).click();
    await page.waitForSelector('h1:has-text("QCB-0107")');
    await page.getByLabel('Measured value of LRB AS').fill('0.9');
    await page.getByLabel('Measured value of LFB AS').fill('49.6');
    await until(page, () => /would fail/.test(document.querySelector('.table').textContent),
        'a value is judged when its field is left');
    await press(page, 'Control+s');
    await until(page, () => /Failed/.test(document.querySelector('.head').textContent),
        'with its last value the batch is evaluated');
    ok(/99\.2 %/.test(await page.textContent('.table')), 'the recovery is the service\'s');
    await looks(page, 'qc-batch');
    await page.getByRole('button', { name: 'Correct LRB AS' }).click();
    await page.waitForSelector('#value');
    ok(/correct=\d+/.test(page.url()), 'a correction has its address');
    await page.fill('#value', '0.09');
    await page.fill('#why', 'A digit was lost');
    await press(page, 'Enter');
    await until(page, () => /Passed/.test(document.querySelector('.head').textContent),
        'a corrected control has it evaluated again');
}

async function impact(page) {
    await open(page, '/app/qc-batches?status=failed');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Enter');
    await page.waitForSelector('.peek li');
    ok(/Held 1|Verified 1|Already reported 1/.test(await page.textContent('.peek')),
        'what a failure does to each test that the batch covers');
    ok(/Override QCB-/.test(await page.textContent('.head')), '... and what can be done');
}

async function chart(page) {
    await open(page, '/app/qc-series');
    await page.waitForSelector('.chart .rule');
    const runs = await page.locator('.chart .rule').allTextContents();
    is(runs.join(' '), '1-3s 4-1s', 'the rules that are broken are named above their points');
    ok(/1-3s at run 25, 4-1s at runs 32 to 35/.test(await page.textContent('figcaption')),
        '... and said in words');
    is(await page.locator('.chart path.broken').count(), 5, '... with a shape at each point');
    ok(/99\.07/.test(await page.textContent('.chart')), 'the mean stands at its line');
    ok(/EPA 200\.8, 41 runs/.test(await page.textContent('figcaption')), 'what is charted');
    await looks(page, 'control-chart');
    await press(page, 'j', 'j');
    is(await page.textContent('tr.cursor td'), '39', 'the keyboard goes from point to point');
    is(await page.locator('.chart .here').count(), 1, '... which the drawing shows');
}

async function leavingOut(page) {
    await page.click('tbody tr:nth-child(17) td');
    await press(page, 'o');
    await page.waitForSelector('#reason');
    ok(/Leave out run 25/.test(await page.textContent('[role=dialog] h2')), 'the act is named');
    await page.keyboard.insertText('The pipette was broken');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') !== null
        && !/1-3s/.test(document.querySelector('figcaption').textContent),
    'a point that is left out breaks no rule, and is still seen');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await press(page, 'o');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('It was another pipette');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') === null,
        'it is taken in again');
}

run(async (browser) => {
    const quality = await begin(browser, officer);
    await chart(quality.page);
    await leavingOut(quality.page);
    await impact(quality.page);
    quiet(quality, 'the browser of the officer');

    const lab = await begin(browser, manager);
    lab.seen.expected.push(/status of 409/);
    await inbox(lab.page);
    await reviewing(lab.page);
    await batches(lab.page);
    quiet(lab, 'that of the manager');
});

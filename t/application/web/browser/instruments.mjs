// SPDX-License-Identifier: Apache-2.0
//
// Instrument files: a file is tried and imported, reasons are decided, the rest released.
// QC batches: one of a template, values judged and saved, one corrected; what a failure reaches.
// Control charts: what breaks a rule, a point that is left out.
import { ask, desk, hold, is, looks, ok, open, press, quiet, run, signIn,
    until } from './support.mjs';

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

async function drop(page, name, text, where = '.page') {
    await page.evaluate(([file, content, place]) => {
        const data = new DataTransfer();
        data.items.add(new File([content], file));
        for (const kind of ['dragover', 'drop']) {
            document.querySelector(place).dispatchEvent(new DragEvent(kind,
                { bubbles: true, cancelable: true, dataTransfer: data }));
        }
    }, [name, text, where]);
}

// The dialog that asks for a reason, answered with Enter.
async function because(page, reason) {
    await page.waitForSelector('#reason');
    await page.keyboard.insertText(reason);
    await press(page, 'Enter');
}

// The dialog that asks for nothing, answered with Enter.
async function confirm(page) {
    await page.waitForSelector('[role=dialog] [type=submit]:focus');
    await press(page, 'Enter');
}

// Returns the text of the file that a link downloads.
async function downloaded(page, link) {
    const href = await link.getAttribute('href');
    return page.evaluate(async (path) => (await fetch(path)).text(), href);
}

const inHead = (page, words, name) => until(page, (text) =>
    document.querySelector('.head')?.textContent.includes(text), name, words);

async function inbox(page) {
    await open(page, '/app/instrument-files');
    await page.waitForSelector('tr.cursor');
    is(await cursor(page), 'cod-noon.csv', 'the newest file stands first');
    await until(page, () => /UV-1, Instrument PC/.test(document.querySelector('tr.cursor')
        ?.textContent), 'the newest file says who sent it');
    await until(page, () => /\(1\)/.test(document.title), 'the title says how many wait');
    await until(page, () => /Quarantined1/.test(document.querySelector('.states')?.textContent),
        'the toggle says how many wait');
    await looks(page, 'instrument-files');
    await drop(page, 'late.csv', 'Sample Name,Dilution factor,Ordinate [A],'
        + 'Concentration [mg/L],Error\r\nBlank,1,0.1,0.4,\r\nNOWHERE,1,0.1,3,\r\n');
    await page.waitForSelector('[role=dialog]');
    ok(/late\.csv: 1 result, 1 reason; it would be held/.test(
        await page.textContent('[role=dialog]')), 'a file that is dropped is tried first');
    ok(/There is no sample NOWHERE/.test(await page.textContent('[role=dialog]')),
        'the dialog shows the reasons');
    await confirm(page);
    await until(page, () => document.querySelector('tbody th')?.textContent === 'late.csv',
        'then it is imported, and held');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    is(await cursor(page), 'cod-noon.csv', 'a file that comes takes the cursor from no other');
    await press(page, 'Home');
}

async function givingBack(page) {
    await press(page, 'Enter');
    await page.waitForSelector('h1:has-text("late.csv")');
    await drop(page, 'rail.csv', 'Sample Name\r\n', '.rail');
    await page.waitForSelector('[role=dialog] h2:has-text("rail.csv")');
    ok(true, 'a file is taken wherever it is dropped, and the page stays');
    await press(page, 'Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await page.getByRole('button', { name: 'Reject file' }).click();
    await because(page, 'A file of another laboratory');
    await inHead(page, 'Rejected', 'a file is rejected');
    await page.getByRole('button', { name: 'Back to quarantine' }).click();
    await because(page, 'It was ours');
    await inHead(page, 'Quarantined', 'the rejection is taken back');
    await page.locator('.rail').getByRole('link', { name: 'Instrument files' }).click();
    await page.waitForSelector('tr.cursor');
    await page.getByRole('button', { name: 'Read all again' }).click();
    await page.waitForSelector('[role=dialog]');
    ok(/the same reasons hold each file/.test(await page.textContent('[role=dialog]')),
        'what reading all again would change is said first');
    await confirm(page);
    await until(page, () => /2 files read again, 0 imported/.test(
        document.querySelector('.said')?.textContent), 'then they are read again');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
}

// Somebody else decides while the dialog is open: nothing is done to what was not seen.
async function overtaken(page) {
    const id = Number(/instrument-files\/(\d+)/.exec(page.url())[1]);
    await page.waitForSelector('#reason');
    const { decisions: { aliases } } = await ask(page, 'GET', `/instrument-files/${id}`);
    await ask(page, 'PATCH', `/instrument-files/${id}`, { decisions: {
        aliases: aliases.map(({ from, to }) => ({ from, to, reason: 'Asked the analyst' })) } });
    await page.keyboard.insertText('Above the calibration, repeated at 1:10');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Show it as it is now' }).click();
    await page.locator('#refusal').waitFor({ state: 'detached' });
    await page.locator('#reason').press('Enter');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
}

async function reviewing(page) {
    await page.click('tbody tr.cursor');
    await press(page, 'j');
    is(await cursor(page), 'cod-noon.csv', 'on to the other');
    await press(page, 'Enter');
    await page.waitForSelector('td[aria-invalid]');
    await page.waitForSelector('#decide:has-text("Decide 2 reasons")');
    is(await page.textContent('td[aria-invalid]'), 'Out of range', 'a bad cell is marked');
    ok(/does not know the flag/.test(await page.textContent('tr.why')), 'the reason stands under the bad cell');
    is(await page.locator('[aria-disabled=true]').textContent(), 'Release 0 results',
        'it cannot be released so');
    const find = await hold(page, '**/candidates*');
    await press(page, 'n');
    await page.fill('#means input.id', 'CB-26');
    await find();
    await page.waitForSelector('#means .pick .id');
    is(await page.locator('#means input.id').count(), 1,
        'samples that are found take no place of the one that is typed');
    await page.locator('#means input[type=radio]').first().check();
    is(await page.getAttribute('tr.cursor', 'data-row'), '3', 'n goes to the next reason');
    await looks(page, 'instrument-file');
    await press(page, 'a');
    await page.keyboard.insertText('The analyst typed the place instead of scanning');
    await page.locator('#means button').click();
    await until(page, () => /Read as CB-26-\d+-\w by Lena Fischer/.test(
        document.querySelector('.cards')?.textContent), 'the row means another sample');
    await page.click('td[aria-invalid]');
    await press(page, 'x');
    await overtaken(page);
    await until(page, () => /Release 1 result/.test(document.querySelector('.btn.primary')?.textContent),
        'the other row is left out: one result would be written');
    await until(page, () => !document.querySelector('.cards .glyph.blocked'),
        'nothing holds the file');
    await until(page, () => /Left out by Lena Fischer/.test(document.querySelector('.cards')
        ?.textContent), 'who decided stands there');
    await page.click('.btn.primary');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('Checked with the analyst');
    await press(page, 'Enter');
    await until(page, () => /Released/.test(document.querySelector('.head')?.textContent),
        'it is released');
    ok(/1 result written/.test(await page.textContent('.statusline')),
        'the release writes its result');
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

// A failed batch is investigated and its run repeated; the new batch has a control more and covers
// a test.
async function repeated(page) {
    await page.getByRole('button', { name: 'Open an investigation' }).click();
    const form = page.getByRole('dialog', { name: 'Open an investigation' });
    is(await form.getByLabel('Title').inputValue(), 'QCB-0107 failed', 'an investigation of the batch');
    await form.getByRole('button', { name: 'Open an investigation' }).click();
    await page.waitForSelector('h1:has-text("QCF-")');
    await page.locator('.facts').getByRole('link', { name: 'QCB-0107' }).click();
    await page.waitForSelector('h1:has-text("QCB-0107")');
    await page.getByRole('button', { name: 'Repeat the run' }).click();
    await because(page, 'The blank was not clean');
    await page.waitForSelector('h1:has-text("QCB-0108")');
    await page.waitForSelector('[aria-label="Measured value of LFB AS"]');
    ok(true, 'the run is repeated with the same controls');
    await page.locator('.head').getByRole('button', { name: 'Cover tests' }).click();
    const covering = page.getByRole('dialog', { name: 'Cover tests' });
    await covering.getByRole('checkbox').first().check();
    await covering.getByRole('button', { name: 'Cover tests' }).click();
    await until(page, () => /Covers 1 test/.test(document.querySelector('.peek')?.textContent),
        'a test is covered');
    await page.locator('.head').getByRole('button', { name: 'Take tests out' }).click();
    const taking = page.getByRole('dialog', { name: 'Take tests out' });
    await taking.getByRole('checkbox').first().check();
    await taking.getByLabel('Reason').fill('Measured in another run');
    await taking.getByRole('button', { name: 'Take tests out' }).click();
    await until(page, () => /Covers 0 tests/.test(document.querySelector('.peek')?.textContent),
        'a test is taken out of the batch with a reason');
    await page.locator('.head').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Add a control' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a control' });
    await adding.getByLabel('Control', { exact: true }).selectOption('CCB');
    await adding.getByLabel('Accepted when').selectOption('maximum');
    await adding.getByLabel('Measured value').fill('0.02');
    await adding.getByLabel('Upper limit').fill('0.1');
    await looks(page, 'qc-control');
    await adding.getByRole('button', { name: 'Add a control' }).click();
    await until(page, () => !document.querySelector('[role=dialog]')
        && /CCB.*0\.02.*≤ 0\.1.*Passed/.test(document.querySelector('.table')?.textContent),
    'a control is added by hand');
    await page.locator('.rail').getByRole('link', { name: 'QC batches' }).click();
    await page.waitForSelector('tr.cursor');
    await page.locator('tbody tr', { hasText: 'QCB-0107' }).click();
    await press(page, 'Enter');
    await page.waitForSelector('h1:has-text("QCB-0107")');
}

// The verdict on a value that was typed over comes behind that on the one that stands there.
async function judgedLate(page) {
    const address = '**/qc-controls/judge';
    const value = page.getByLabel('Measured value of LRB AS');
    const next = page.getByLabel('Measured value of LFB AS');
    const asked = [];
    let answer;
    const answered = new Promise((done) => {
        answer = done;
    });
    await page.route(address, async (route) => {
        if (asked.push(route.request()) === 1) {
            await answered;
        }
        await route.continue();
    });
    for (const one of ['0.9', '0.3']) {
        await value.fill(one);
        await next.focus();
    }
    await until(page, () => /Would pass/.test(document.querySelector('.table')?.textContent),
        'a value that replaces another is judged');
    answer();
    await (await asked[0].response()).finished();
    await ask(page, 'GET', '/organization');
    ok(/Would pass/.test(await page.textContent('.table')),
        'a verdict is that of the value that stands there', await page.textContent('.table'));
    await page.unroute(address);
}

async function batches(page) {
    ok((await makeTemplate(page)).id > 0, 'a method has a template');
    await open(page, '/app/qc-batches');
    await page.waitForSelector('tr.cursor');
    is(await cursor(page), 'QCB-0106', 'the newest batch stands first');
    await looks(page, 'qc-batches');
    await page.getByRole('button', { name: 'New batch' }).click();
    await page.getByRole('menuitem', { name: 'EPA 200.8: Blank and spike' }).click();
    await page.waitForSelector('h1:has-text("QCB-0107")');
    await judgedLate(page);
    await page.getByLabel('Measured value of LRB AS').fill('0.9');
    await page.getByLabel('Measured value of LFB AS').fill('49.6');
    await until(page, () => /Would fail/.test(document.querySelector('.table')?.textContent),
        'a value is judged when its field is left');
    await judgedOnly(page);
    await press(page, 'Control+s');
    await until(page, () => /Failed/.test(document.querySelector('.head')?.textContent),
        'with its last value the batch is evaluated');
    await until(page, () => /99\.2 %/.test(document.querySelector('.table')?.textContent),
        'the recovery is the service\'s');
    await looks(page, 'qc-batch');
    await page.locator('.table').getByRole('link', { name: 'Chart' }).last().focus();
    await page.waitForSelector('.glance .this');
    ok(/Run \d+ of \d+/.test(await page.textContent('.glance')), 'the chart of a control at a glance');
    await page.keyboard.press('Escape');
    await page.locator('.glance').waitFor({ state: 'detached' });
    await repeated(page);
    await page.getByRole('button', { name: 'Correct LRB AS' }).click();
    await page.waitForSelector('#value');
    ok(/correct=\d+/.test(page.url()), 'a correction has its address');
    await meanwhile(page, Number(page.url().match(/correct=(\d+)/)[1]));
    await page.fill('#value', '0.09');
    await page.fill('#why', 'A digit was lost');
    await press(page, 'Enter');
    await until(page, () => /Passed/.test(document.querySelector('.head')?.textContent),
        'a corrected control has it evaluated again');
}

// A verdict stands beside the value that was judged: not beside another that is typed, and not when
// it comes late.
async function judgedOnly(page) {
    const field = page.getByLabel('Measured value of LRB AS');
    const row = page.locator('.table tr', { has: field });
    const verdict = () => row.locator('td').nth(5).textContent();
    await field.fill('0.05');
    is(await verdict(), 'No value yet', 'the verdict of one value does not stand beside another');
    let answer = null;
    const held = new Promise((resolve) => { answer = resolve; });
    await page.route('**/qc-controls/judge', async (route) => {
        await held;
        await route.fallback();
    }, { times: 1 });
    await field.blur();
    const newer = page.waitForResponse('**/qc-controls/judge');
    await field.fill('0.9');
    await field.blur();
    await newer;
    await row.getByText('Would fail').waitFor();
    const late = page.waitForResponse('**/qc-controls/judge');
    answer();
    await (await late).finished();
    await page.waitForTimeout(200);
    is(await verdict(), 'Would fail', 'a late verdict replaces no newer one');
}

// A batch without a template has a method, and what it says of itself can be corrected.
async function described(page) {
    await open(page, '/app/qc-batches');
    await page.getByRole('button', { name: 'New batch' }).click();
    await page.getByRole('menuitem', { name: 'Make a batch without a template' }).click();
    await page.getByLabel('Method of the batch').selectOption('EPA 200.8');
    await page.getByRole('dialog').getByRole('button', { name: 'Make a batch without' }).click();
    await page.waitForSelector('h1:has-text("QCB-0109")');
    const id = Number(page.url().match(/qc-batches\/(\d+)/)[1]);
    is((await ask(page, 'GET', `/qc-batches/${id}`)).method, 'EPA 200.8', 'a batch made by hand has a method');
    await press(page, 'e');
    const form = page.getByRole('dialog');
    await form.getByLabel('Number', { exact: true }).fill('METALS-1');
    await form.getByLabel('Analysed on').fill('2026-11-19');
    await form.getByLabel('Notes').fill('The second rack');
    await looks(page, 'qc-batch-form');
    await form.getByRole('button', { name: /^Change/ }).click();
    await page.waitForSelector('h1:has-text("METALS-1")');
    const { analysisDate, notes } = await ask(page, 'GET', `/qc-batches/${id}`);
    is(`${analysisDate} ${notes}`, '2026-11-19 The second rack', 'number, day and notes are corrected');
}

// Two correct one control: the second is told, and nothing is replaced unseen.
async function meanwhile(page, id) {
    const before = await page.inputValue('#value');
    await ask(page, 'PATCH', `/qc-controls/${id}`, { measuredValue: 0.55, reason: 'Read again' });
    await page.fill('#value', '0.77');
    await page.fill('#why', 'A digit was lost');
    await page.route(`**/qc-controls/${id}`, (route) =>
        route.request().method() === 'GET' ? route.abort() : route.fallback());
    await press(page, 'Enter');
    await page.getByRole('dialog').getByText('No connection to the service').waitFor();
    await page.unroute(`**/qc-controls/${id}`);
    await press(page, 'Enter');
    await page.getByText('It is now 0.55').waitFor();
    ok(/precondition_failed/.test(await page.textContent('[role=dialog]')),
        'a control that somebody else corrected is not corrected unseen', before);
    await press(page, 'Enter');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    is((await ask(page, 'GET', `/qc-controls/${id}`)).measuredValue, 0.77,
        'whoever has seen what it is now replaces it by saving again');
    await page.getByRole('button', { name: 'Correct LRB AS' }).click();
    await until(page, () => document.querySelector('#value')?.value === '0.77',
        'the correction begins with what stands there now');
}

async function impact(page) {
    await open(page, '/app/qc-batches?qcStatus=failed');
    await page.waitForSelector('tr.cursor');
    const tell = await hold(page, '**/impact');
    const covered = page.waitForResponse('**/sample-tests?*');
    await press(page, 'Enter');
    await (await covered).finished();
    await ask(page, 'GET', '/organization');
    is(await page.locator('.peek li').count(), 0,
        'nothing is called verified before it is known what has gone out');
    await tell();
    await page.waitForSelector('.peek li');
    await until(page, () => /Held 1|Verified 1|Already reported 1/.test(
        document.querySelector('.peek')?.textContent),
    'what a failure does to each test that the batch covers');
    await page.getByRole('button', { name: 'Override QCB-' }).click();
    const signing = page.getByRole('dialog');
    ok(/QCB-\d+.*QC.*CB-26-/.test(await signing.textContent()),
        'the controls and the results that an override covers are listed', await signing.textContent());
    await looks(page, 'qc-override');
    await signing.getByLabel('Reason').fill('The second source recovered well');
    await signing.getByLabel(/^Password/).fill(process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await inHead(page, 'Overridden', 'the batch is overridden, signed');
    await page.getByRole('link', { name: /^Signatures 1/ }).waitFor();
}

// A day is typed as a person types it: no year that is begun is asked for, nor is it a step back.
async function period(page) {
    const from = page.getByLabel('From', { exact: true });
    const steps = await page.evaluate(() => history.length);
    const addresses = [];
    const note = () => addresses.push(new URL(page.url()).search);
    page.on('framenavigated', note);
    await from.focus();
    await page.keyboard.type('01152026', { delay: 40 });
    await until(page, () => location.search === '?from=2026-01-15', 'the day stands in the address');
    await page.waitForSelector('.chart');
    page.off('framenavigated', note);
    const csv = await page.locator('.head a[download]').getAttribute('href');
    ok(csv.endsWith('?from=2026-01-15T07%3A00%3A00.000Z'), 'the period begins with the day of the laboratory', csv);
    is([...new Set(addresses)].join(), '?from=2026-01-15', 'no part of the day stood there before');
    is(await page.evaluate(() => history.length), steps, 'going back skips what was typed');
    await from.fill('');
    await until(page, () => location.search === '' && document.querySelectorAll('.chart .rule')
        .length === 2, 'without a day all runs are charted');
}

async function chart(page) {
    await open(page, '/app/qc-series');
    await page.waitForSelector('.chart .rule');
    const runs = await page.locator('.chart .rule').allTextContents();
    is(runs.join(' '), '1-3s 4-1s', 'the rules that are broken are named above their points');
    ok(/1-3s at run 25, 4-1s at runs 32 to 35/.test(await page.textContent('figcaption')),
        'the rules that are broken are said in words');
    is(await page.locator('.chart path.broken').count(), 5, 'each point that breaks a rule has a shape');
    ok(/99\.07/.test(await page.textContent('.chart')), 'the mean stands at its line');
    await until(page, () => /EPA 200\.8, 41 runs/.test(document.querySelector('figcaption')
        ?.textContent), 'what is charted');
    await looks(page, 'control-chart');
    const file = await downloaded(page, page.getByRole('link', { name: 'CSV' }));
    is(file.trim().split('\r\n').length, 42, 'every point of the chart as a file');
    ok(/"1-3s"/.test(file), 'the file has the rules that are broken');
    await press(page, 'j', 'j');
    await until(page, () => document.querySelector('tr.cursor td')?.textContent === '39',
        'the keyboard goes from point to point');
    is(await page.locator('.chart .here').count(), 1, 'the drawing shows the point of the keyboard');
    await period(page);
}

async function leavingOut(page) {
    await page.click('tbody tr:nth-child(17) td');
    await press(page, 'o');
    await page.waitForSelector('#reason');
    ok(/Leave out run 25/.test(await page.textContent('[role=dialog] h2')), 'the act is named');
    await page.keyboard.insertText('The pipette was broken');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') !== null
        && !/1-3s/.test(document.querySelector('figcaption')?.textContent),
    'a point that is left out breaks no rule, and is still seen');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await press(page, 'o');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('It was another pipette');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') === null,
        'it is taken in again');
}

async function baseline(page) {
    await open(page, '/app/qc-series');
    await page.waitForSelector('.chart .rule');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Baseline and rules' }).click();
    const form = page.getByRole('dialog', { name: 'Baseline and rules' });
    await form.getByLabel('Mean and s').selectOption('fixed');
    await form.getByLabel('Mean', { exact: true }).fill('100');
    await form.getByLabel('s', { exact: true }).fill('5');
    const { pathname } = new URL(await page.evaluate(() => location.href));
    const id = pathname.match(/qc-series\/(\d+)/)[1];
    const { rules } = await ask(page, 'GET', `/qc-series/${id}`);
    await ask(page, 'PATCH', `/qc-series/${id}`, { rules,
        baseline: { kind: 'fixed', n: null, mean: 98, s: 4 } });
    await form.getByRole('button', { name: 'Change baseline and rules' }).click();
    await page.getByText('precondition_failed').waitFor();
    is((await ask(page, 'GET', `/qc-series/${id}`)).baseline.mean, 98,
        'another\'s baseline is not replaced unseen');
    await form.getByText('It is now mean 98, s 4').waitFor();
    await form.getByRole('button', { name: 'Change baseline and rules' }).click();
    await until(page, () => /Mean 100\.\d+, s 5\.\d+ % as fixed/.test(
        document.querySelector('.statusline')?.textContent), 'mean and s are fixed');
}

// The answer to one of the requests of a repeated run is lost: the next try goes on behind what was
// done, also from a dialog of its own.
async function repeatedOnce(page) {
    const { data } = await ask(page, 'GET', '/sample-tests?status=pending&limit=200');
    const [{ testCode }] = data.filter((one, i) => data.findIndex((other) =>
        other.testCode === one.testCode) < i && one.qcBatchId === null);
    const [waits, measured, another] = data.filter((one) => one.testCode === testCode
        && one.qcBatchId === null && one.disposition === 'active');
    const batch = await ask(page, 'POST', '/qc-batches', { batchNumber: 'QCB-9001',
        analysisDate: '2026-11-20',
        sampleTestIds: [waits, measured, another].flatMap((one) => one ? [one.id] : []) });
    for (const one of [measured, another].filter(Boolean)) {
        await ask(page, 'PATCH', `/sample-tests/${one.id}`, { result: '1' });
    }
    await ask(page, 'POST', '/qc-controls', { qcBatchId: batch.id, controlType: 'LRB',
        testDefinitionId: measured.testDefinitionId, criterion: 'maximum', upperLimit: 0.1,
        measuredValue: 9 });
    await open(page, `/app/qc-batches/${batch.id}`);
    for (const path of [`**/sample-tests/${measured.id}/retest`, '**/api/qc-batches',
        `**/qc-batches/${batch.id}/uncover`]) {
        let lost = false;
        await page.route(path, async (route) => {
            if (lost || route.request().method() !== 'POST') {
                return route.fallback();
            }
            lost = true;
            await route.fetch();
            return route.abort();
        });
    }
    for (const name of ['retest', 'batch', 'former batch']) {
        await page.getByRole('button', { name: 'Repeat the run' }).click();
        await page.fill('#reason', `The blank was not clean, ${name}`);
        await press(page, 'Enter');
        await page.waitForSelector('#refusal');
        await press(page, 'Escape');
    }
    await page.getByRole('button', { name: 'Repeat the run' }).click();
    await because(page, 'The blank was not clean');
    await page.waitForSelector('h1:has-text("QCB-9002")');
    const { data: retests } = await ask(page, 'GET', '/sample-tests?status=pending&limit=200');
    is(retests.filter(({ retestOf }) => retestOf === measured.id).length, 1,
        'a test whose answer was lost is repeated once');
    const { data: batches } = await ask(page, 'GET', '/qc-batches?order=-id&limit=5');
    is(batches.filter(({ batchNumber }) => batchNumber > 'QCB-9001').length, 1,
        'a run whose answer was lost is made once');
    const { data: covered } = await ask(page, 'GET', `/sample-tests?qcBatchId=${batches[0].id}`);
    ok(covered.some(({ id }) => id === waits.id), 'the tests that waited go over');
    const { data: left } = await ask(page, 'GET', `/sample-tests?qcBatchId=${batch.id}`);
    ok(!left.some(({ id }) => id === waits.id), 'the former batch covers them no more');
}

run(async (browser) => {
    const quality = await begin(browser, officer);
    await chart(quality.page);
    await leavingOut(quality.page);
    await impact(quality.page);
    quiet(quality, 'the browser of the officer');

    const lab = await begin(browser, manager);
    lab.seen.expected.push(/status of 409/);
    lab.seen.expected.push(/status of 412/, /net::ERR_FAILED/);
    await inbox(lab.page);
    await givingBack(lab.page);
    await reviewing(lab.page);
    await batches(lab.page);
    await described(lab.page);
    await baseline(lab.page);
    await repeatedOnce(lab.page);
    quiet(lab, 'that of the manager');
});

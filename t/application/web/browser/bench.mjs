// SPDX-License-Identifier: Apache-2.0
//
// The worklist, and the bench of a method: entering, pasting, saving, two people on one
// cell, a network that is cut, and a page that is left with something unsaved.
import { act, ask, desk, is, looks, ok, open, press, quiet, run, signIn, until,
    wholeOnTablet } from './support.mjs';

const analyst = 'mateo.ortiz@cedarbasin.example';
const colleague = 'yuki.tanaka@cedarbasin.example';
const bench = '/app/bench/method/EPA%20300.0';
const cell = (row, column) => `tr[data-row="${row}"] td[data-column="${column}"]`;
const value = (page, row, column) => page.evaluate((place) => {
    const found = document.querySelector(place);
    return found?.querySelector('input')?.value ?? found?.childNodes[0]?.parentElement.innerText.trim();
}, cell(row, column));
const saved = (page) => until(page,
    () => [...document.querySelectorAll('.head .btn')].some((one) => /All is saved/.test(one.textContent)),
    'all is saved');

async function begin(browser, email) {
    const here = await desk(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, email);
    await here.page.waitForSelector('.rail a[href$="/worklist"]');
    await until(here.page, () => location.pathname === '/app/worklist',
        'an analyst begins with the worklist');
    return here;
}

async function toBench(page) {
    await open(page, bench);
    await page.waitForSelector('td.editing input');
}

async function type(page, text) {
    await page.keyboard.type(text, { delay: 50 });
}

async function worklist(page) {
    await open(page, '/app/worklist');
    await page.waitForSelector('tr.cursor');
    await looks(page, 'worklist');
    is(await page.textContent('tr.cursor th'), 'EPA 300.0', 'what ends first stands first');
    await press(page, 'Enter');
    await page.waitForSelector('td.editing input');
    ok(page.url().endsWith(bench), 'Enter opens the bench of the method', page.url());
}

async function entering(page) {
    await type(page, '11.40');
    await page.waitForSelector(`${cell(0, 0)} .mark.blocked`);
    ok(/Out of specification: at most 10/.test(await page.textContent('.problems')),
        'the service says why, under the grid');
    await looks(page, 'bench');
    await press(page, 'Escape');
    await type(page, '0.4200');
    await page.waitForSelector(`${cell(0, 0)} .mark.attention`);
    is(await page.textContent(`${cell(0, 0)} .mark`), 'dpNeeds a look', 'too many places: dp');
    await press(page, 'Escape');
    await type(page, '0.40');
    await page.waitForSelector(`${cell(0, 0)} .mark.ready`);
    await press(page, 'Control+s');
    await saved(page);
    await page.reload();
    await page.waitForSelector('td.editing input');
    is(await value(page, 0, 0), '0.40', 'what was saved is there, as it was typed');
}

// Returns what the View menu downloads. Chromium's own download would need a connection that is still
// open: it does not take the test's certificate.
async function sequenceFile(page) {
    await page.getByRole('button', { name: 'View' }).click();
    const file = await page.getByRole('menuitem', { name: 'Sequence' }).evaluate(async ({ href }) => {
        const answer = await fetch(href);
        return { name: /filename="(.*?)"/.exec(answer.headers.get('Content-Disposition'))[1],
            lines: (await answer.text()).split('\r\n').slice(1, -1) };
    });
    await press(page, 'Escape');
    return file;
}

// The same cells in other views: what was typed is in its cell, and can be undone.
async function views(page) {
    const view = async (name) => {
        await page.getByRole('button', { name: 'View' }).click();
        await page.getByRole('menuitem', { name }).click();
    };
    await press(page, 'Control+Home');
    await type(page, '0.44');
    ok(/, not saved$/.test(await page.getAttribute('td.editing input', 'aria-label')),
        'the name of a cell says that it is not saved');
    await press(page, 'ArrowDown');
    ok((await page.textContent(cell(0, 0))).endsWith('Not saved'), 'the text of the cell says so, too');
    is(await page.locator('td.unsaved').count(), 1, 'a cell that is not saved looks so');
    await looks(page, 'bench-unsaved');
    await press(page, 'ArrowUp');
    const tests = await page.locator('td.open').count();
    const id = await page.textContent(`${cell(0, 0)} >> xpath=.. >> th.id`);
    await view('Samples as columns');
    await page.waitForSelector('thead th:has-text("' + id + '")');
    is(await page.locator('tbody th.id').first().textContent(), 'NO3N', 'tests are rows');
    is(await value(page, 0, 0).then((text) => text.split('\n')[0]), '0.44',
        'what was typed is in its cell in the other view');
    ok(page.url().endsWith(`${bench}?view=columns`), 'the view is in the address', page.url());
    await looks(page, 'bench-columns');
    await press(page, 'F7');
    await page.waitForSelector('thead th:has-text("Result")');
    is(await page.locator('tbody tr[data-row]').count(), tests, 'a row for each test');
    await page.screenshot({ path: `${process.env.LIMS_SCREENSHOTS}/bench-list.png` });
    await page.focus('td.editing input');
    await press(page, 'Control+z');
    await press(page, 'F7');
    await page.waitForSelector('thead th:has-text("NO3N")');
    is(await value(page, 0, 0), '0.40', 'it is undone wherever it was typed');
    is((await sequenceFile(page)).name, 'sequence.csv', 'the sequence of the instrument is a file');
    await page.focus('td.editing input');
}

async function twoPeople(page, other) {
    await other.clock.install();
    await toBench(other);
    await press(other, 'Control+Home');
    await press(page, 'Control+Home');
    await type(page, '0.50');
    await type(other, '0.60');
    for (const one of [page, other]) {
        await press(one, 'Control+s');
        if (one === page) {
            await saved(one);
        }
    }
    await other.waitForSelector('text=Take theirs');
    const both = await other.textContent('.foot');
    ok(/0\.40\s*0\.50\s*0\.60/.test(both),
        'mine, theirs, and what it was', both);
    await looks(other, 'bench-conflict');
    await other.getByRole('button', { name: 'Take theirs' }).click();
    await saved(other);
    is(await value(other, 0, 0), '0.50', 'theirs is taken');
}

// A second person sees results soon after the first has saved them.
async function liveView(other) {
    await other.clock.fastForward(16_000);
    await until(other, (at) => document.querySelector(at)?.textContent.includes('0.62'),
        'what another enters appears by itself', cell(1, 1));
}

async function withoutNetwork({ page, context, seen }) {
    seen.expected.push(/ERR_INTERNET_DISCONNECTED/, /status of 412/);
    await context.setOffline(true);
    await page.click(cell(1, 1));
    await type(page, '0.62');
    await press(page, 'Control+s');
    await page.waitForSelector(`${cell(1, 1)} .mark.progress`);
    await until(page, () => /cannot be reached, next try/.test(document.querySelector('.statusline')
        ?.textContent), 'the cell waits, and the page says so');
    await looks(page, 'bench-offline');
    await context.setOffline(false);
    await saved(page);
    is(await value(page, 1, 1), '0.62', 'it is saved when the network is back');
}

async function leaving(page) {
    await press(page, 'Control+Home');
    await type(page, '0.77');
    await page.click('.rail a[href$="/worklist"]');
    await page.waitForSelector('tr.cursor');
    await page.locator('.top').getByRole('link', { name: /^1 cell not saved: Results of/ }).click();
    await page.waitForSelector('td.editing input');
    is(await value(page, 0, 0), '0.77', 'what was typed is found again from the top bar');
    is(await page.locator('.top a.status').count(), 0, 'the top bar no longer names a desk that is open');
    await press(page, 'Control+z');
    is(await value(page, 0, 0), '0.50', 'what was typed can still be undone');
}

// The lot and the time of a run are shown as they are, also when its page was left, and for a
// cell of its own.
async function settings(page) {
    await open(page, '/app/bench/method/EPA%20200.8');
    await page.waitForSelector('td.editing input');
    const [here, there] = await page.locator('td.open:not(.editing)').evaluateAll((all) =>
        all.map((one) => `tr[data-row="${one.parentElement.dataset.row}"] `
            + `td[data-column="${one.dataset.column}"]`));
    const bar = page.getByRole('group', { name: 'Settings of the run' });
    const lot = bar.getByLabel('Reagent lot');
    const time = bar.getByLabel('Analysed');
    const [first, second] = (await ask(page, 'GET', '/reagent-lots?qcStatus=passed&limit=100')).data
        .filter(({ usableUntil }) => Date.parse(usableUntil) > Date.now())
        .map(({ id, code }) => ({ id, code, value: String(id) }));
    // Behind the collection of every sample, by the laboratory's clock.
    const hourAgo = new Date(Date.now() - 3600_000);
    const clock = hourAgo.toLocaleString('sv-SE', { timeZone: 'America/Denver' })
        .slice(0, 16).replace(' ', 'T');
    await lot.locator(`option[value="${second.value}"]`).waitFor({ state: 'attached' });
    await page.click(here);
    await lot.selectOption(first.value);
    await time.fill(clock);
    await page.click(here);
    await type(page, '0.31');
    const foot = () => page.textContent('.foot .reason');
    ok((await foot()).includes(`Reagent lot ${first.code}`) && (await foot()).includes(` ${clock.slice(11)}`),
        'the foot names lot and time of the cell', await foot());
    await page.click(there);
    await bar.getByLabel('For').selectOption('selected');
    await lot.selectOption(second.value);
    ok((await foot()).includes(`Reagent lot ${second.code}`), 'one cell has a lot of its own',
        await foot());
    await bar.getByLabel('For').selectOption('all');
    is(await lot.inputValue(), first.value, 'the run keeps its lot');
    await page.click('.rail a[href$="/worklist"]');
    await page.waitForSelector('tr.cursor');
    await page.locator('.top').getByRole('link', { name: /not saved: Results of/ }).click();
    await page.waitForSelector('td.editing input');
    await until(page, (value) => document.querySelector('.run select')?.value === value,
        'the lot of a run that was left is shown when one comes back', first.value);
    is(await time.inputValue(), clock, 'its time of analysis is shown, too');
    await page.click(here);
    await page.click(there);
    await type(page, '0.32');
    await press(page, 'Control+s');
    await saved(page);
    const { data } = await ask(page, 'GET', '/sample-tests?status=entered&limit=200');
    const lotOf = (result) => data.find((one) => one.result === result)?.reagentLotId;
    is([lotOf('0.31'), lotOf('0.32')].join(), [first.id, second.id].join(),
        'each cell is entered with the lot that was shown');
    ok(data.find(({ result }) => result === '0.31').analyzedAt.startsWith(hourAgo.toISOString().slice(0, 16)),
        'the time of analysis is that of the laboratory\'s clock');
}

// When the clock is put back, it shows an hour twice: the second is chosen, and asked about.
async function doubledHour(page) {
    const bar = page.getByRole('group', { name: 'Settings of the run' });
    const time = bar.getByLabel('Analysed');
    const which = bar.getByLabel('Which of the two times');
    const before = await time.inputValue();
    is(await which.count(), 0, 'other times are one');
    await time.fill('2026-11-01T01:30');
    is((await which.locator('option').allTextContents()).join('; '),
        'before the clock was put back (UTC-06:00); after the clock was put back (UTC-07:00)',
        'the hour that is shown twice is told apart');
    await page.evaluate(() => {
        const { fetch } = window;
        window.sent = [];
        window.fetch = async (request, ...rest) => {
            window.sent.push(await request.clone().text());
            return fetch(request, ...rest);
        };
    });
    await which.selectOption({ index: 1 });
    await until(page, () => window.sent.some((body) => body.includes('"2026-11-01T08:30:00.000Z"')),
        'the service is asked about the time that is chosen');
    is(await which.inputValue(), '2026-11-01T01:30-07:00', 'the later one is chosen');
    is(await time.inputValue(), '2026-11-01T01:30', 'the clock shows the same');
    await time.fill('2026-03-08T02:30');
    await bar.getByText('The clock was put forward over this time.').waitFor();
    await time.fill(before);
}

// The first result of a sample moves its status in the act that saves, unless samples are to stay.
async function moving(page) {
    const { data } = await ask(page, 'GET', '/sample-tests?sampleStatus=received&limit=200');
    const [{ id, sampleId, testDefinitionId }] = data.filter((one) => one.status === 'pending'
        && data.filter(({ sampleId }) => sampleId === one.sampleId).length > 1);
    const { method } = await ask(page, 'GET', `/test-definitions/${testDefinitionId}`);
    const status = async () => (await ask(page, 'GET', `/samples/${sampleId}`)).status;
    await open(page, `/app/bench/method/${encodeURIComponent(method)}/${id}`);
    await page.waitForSelector('td.editing input');
    const samples = page.getByRole('group', { name: 'Settings of the run' }).getByLabel('Samples');
    const moves = [];
    page.on('request', (request) => request.url().endsWith('/samples/advance')
        && moves.push(request.response()));
    await samples.selectOption('stay');
    await page.click(cell(0, 0));
    await type(page, '1');
    await press(page, 'Control+s');
    await saved(page);
    await Promise.all(moves);
    is(await status(), 'received', 'samples that are to stay keep their status');
    await samples.selectOption('move on');
    await page.click(cell(0, 0));
    await type(page, '2');
    await page.route('**/samples/advance', (route) => route.abort('internetdisconnected'), { times: 1 });
    await press(page, 'Control+s');
    await saved(page);
    await until(page, () => /1 sample in processing/.test(document.querySelector('.said')?.textContent),
        'also when the network fails then, it is said that the sample moved on');
    is(await status(), 'processing', 'its first result sets it to processing');
}

// A result that a colleague sent back is confirmed as it is, also with its qualifier said twice, as
// files do.
async function sentBack(page, other) {
    const { data } = await ask(other, 'GET', '/sample-tests?status=entered&limit=200');
    const { id } = data.find(({ result }) => result === '0.62');
    await ask(other, 'PATCH', `/sample-tests/${id}`, { result: '<0.62', qualifier: '<' });
    await ask(other, 'POST', `/sample-tests/${id}/return`, { reason: 'Read the blank again' });
    await toBench(page);
    await page.click(cell(1, 1));
    is(await value(page, 1, 1), '<0.62', 'the sign of a value stands before it once');
    const foot = await page.textContent('.foot');
    ok(foot.includes('Sent back by Yuki Tanaka: Read the blank again.'),
        'a result that was sent back says by whom and why', foot);
    await looks(page, 'bench-returned');
    await press(page, 'Control+Enter');
    await page.getByRole('button', { name: 'Save 1 cell' }).waitFor();
    await press(page, 'Control+s');
    await saved(page);
    const { result, qualifier, returned } = await ask(page, 'GET', `/sample-tests/${id}`);
    is(JSON.stringify([result, qualifier, returned]), '["<0.62","<",null]',
        'the same value is entered again, as it stood');
}

// Tests that are ordered meanwhile stand below the others, and change nothing that is typed.
async function moreTests(page) {
    await page.click(cell(0, 0));
    await type(page, '0.91');
    const rows = await page.locator('tbody tr[data-row]').count();
    const name = await act('order');
    await page.clock.fastForward(16_000);
    await page.getByText('The run has 1 more row, below the others.').waitFor();
    is(await page.locator(`tr[data-row="${rows}"] th.id`).textContent(), name,
        'a test that the run has got since appears by itself, below the others');
    is(await value(page, 0, 0), '0.91', 'what was typed stays');
    await press(page, 'Control+z');
    await saved(page);
}

// On paper a line for each sample, as filtered, with what one takes along to the bench.
async function paper(page) {
    const files = await page.locator('.filters a').evaluateAll((all) =>
        Promise.all(all.map(async (one) => (await fetch(one.href)).text())));
    await until(page, (rows) => document.querySelectorAll('.pane tbody tr').length === rows,
        'the list downloads as filtered', files[0].split('\r\n').length - 2);
    ok(/^position,sampleName,sampleType\r\n"1","CB-/.test(files[1]), 'the list downloads as a sequence',
        files[1]);
    await page.emulateMedia({ media: 'print' });
    ok(await page.locator('.paper table').isVisible() && !await page.locator('.pane').isVisible(),
        'what is printed is made for paper');
    const heads = await page.locator('.paper th[scope=col]').allTextContents();
    is(heads.join(), 'Tracking id,Material,Tests,Stored,Holding time ends,Priority',
        'the paper has sample, material, tests and storage place');
    is(await page.locator('.paper tbody tr').count(), files[1].split('\r\n').length - 2,
        'the paper has each sample once');
    await page.screenshot({ path: `${process.env.LIMS_SCREENSHOTS}/worklist-paper.png` });
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(() => { window.print = () => { window.printed = true; }; });
    await page.getByRole('button', { name: 'Print' }).click();
    ok(await page.evaluate(() => window.printed), 'a button prints the page');
}

// Test by test: what is selected is taken, and becomes a run with a bench of its own.
async function groups(page) {
    await page.getByRole('link', { name: 'By day due' }).click();
    await until(page, () => document.querySelector('th').textContent === 'Report due',
        'the worklist by the day on which a report is due');
    await page.getByRole('link', { name: 'By instrument' }).click();
    await until(page, () => /on no instrument yet/.test(document.querySelector('tbody').textContent),
        'the worklist by instrument');
    await looks(page, 'worklist-instruments');
}

// The instrument's table has the samples of the run, in their order.
async function sequence(page) {
    const { pathname } = new URL(page.url());
    for (const address of [pathname, pathname.replace(/[0-9]+,/, '')]) {
        await open(page, address);
        await page.waitForSelector('td.editing input');
        const { lines } = await sequenceFile(page);
        is(lines.map((line) => line.split('"')[3]).join(),
            (await page.locator('tbody th.id').allTextContents()).join(),
            'the sequence of a run has its samples alone');
    }
}

async function making(page) {
    await open(page, '/app/worklist');
    await page.waitForSelector('tr.cursor');
    await groups(page);
    await page.getByRole('link', { name: 'Test by test' }).click();
    await page.waitForSelector('tr[aria-selected]');
    await wholeOnTablet(page, 'Stored');
    await page.getByLabel('Method').selectOption('EPA 180.1');
    await until(page, () => {
        const rows = [...document.querySelectorAll('table[role=grid] tbody tr')];
        return rows.length > 0 && rows.every((row) => row.textContent.includes('EPA 180.1'));
    }, 'the tests of a method');
    await looks(page, 'worklist-tests');
    await paper(page);
    await press(page, 'x');
    await press(page, 'Shift+ArrowDown');
    await press(page, 't');
    await page.getByText('2 tests taken.').waitFor();
    await until(page, () => [...document.querySelectorAll('tr[aria-selected=true]')]
        .filter((row) => row.textContent.includes('Mateo Ortiz')).length === 2,
    'they are taken by who took them');
    const list = page.url();
    await press(page, 'Space');
    await page.waitForSelector('aside.peek');
    is(page.url(), list, 'Space looks at a test beside the list');
    await press(page, 'Space', 'Enter');
    await page.waitForSelector('td.editing input');
    await page.goBack();
    await page.waitForSelector('tr.cursor');
    is(await page.locator('tr[aria-selected=true]').count(), 2,
        'Back restores what was selected for a run');
    await press(page, 'm');
    await page.waitForSelector('[role=dialog] [type=submit]:focus');
    await press(page, 'Enter');
    await page.waitForSelector('td.editing input');
    ok(/\/bench\/method\/EPA%20180\.1\/\d+,\d+$/.test(page.url()),
        'without a template the address has the tests of the run', page.url());
    is(await page.locator('tbody tr[data-row] td.open').count(), 2, 'the bench of the run has its two tests');
    await sequence(page);
    const { data: [latest] } = await ask(page, 'GET', '/qc-batches?order=-id&limit=1');
    is(latest.batchNumber, 'QCB-0106', 'no batch waits for controls that the method does not have');
}

// The bench of a batch: its controls stand among its samples, and are corrected with a reason.
async function controls(page) {
    await open(page, '/app/samples');
    await page.waitForSelector('.rail');
    const id = await page.evaluate(async () => {
        const session = await (await fetch('/app/api/session')).json();
        const found = await (await fetch('/app/api/qc-batches', {
            headers: { 'X-Lims-Session': session.id } })).json();
        return found.data.find((batch) => batch.batchNumber === 'QCB-0102').id;
    });
    await open(page, `/app/bench/batch/${id}`);
    await page.waitForSelector('tr.control');
    ok(/QCB-0102.*EPA 200\.8, failed/.test(await page.textContent('.head')),
        'a batch has its number, method and status', await page.textContent('.head'));
    const rows = await page.locator('tr.control th.id').allTextContents();
    is(rows.join(), 'LRB,LFB', 'its controls come first');
    const lead = await page.locator('thead th').allTextContents()
        .then((heads) => heads.slice(5).findIndex((head) => head.startsWith('PB')));
    is(await value(page, 1, lead), '65.5\nOutside its limit', 'as they were measured');
    await page.click(cell(1, lead));
    await type(page, '51.2');
    await page.waitForSelector(`${cell(1, lead)} .mark.attention`);
    await looks(page, 'bench-batch');
    await press(page, 'Control+s');
    await page.getByLabel('Reason').fill('Typing error');
    await press(page, 'Enter');
    await saved(page);
    await page.waitForSelector(`${cell(1, lead)} .mark.ready`);
    await until(page, () => /EPA 200\.8, passed/.test(document.querySelector('.head').textContent),
        'the batch is evaluated again');
}

// A verified result cannot be entered again, and says who verified it.
async function locked(page) {
    const [test] = (await ask(page, 'GET', '/sample-tests?status=verified&limit=100')).data
        .filter(({ qcBatchId }) => qcBatchId);
    const { displayName } = (await ask(page, 'GET', '/people?limit=500')).data
        .find(({ id }) => id === test.verifiedBy);
    await open(page, `/app/bench/batch/${test.qcBatchId}`);
    const { trackingId } = await ask(page, 'GET', `/samples/${test.sampleId}`);
    await page.waitForSelector('td.editing input');
    const column = await page.locator('thead th').allTextContents()
        .then((heads) => heads.findIndex((head) => head.startsWith(test.testCode)));
    const place = page.locator('tbody tr', { hasText: trackingId }).locator('th, td').nth(column);
    await place.click();
    await page.keyboard.type('9', { delay: 50 });
    const foot = await page.textContent('.foot');
    ok(foot.includes(`Verified by ${displayName}, and locked.`), 'a locked cell names its verifier',
        foot);
    const shown = await place.locator('input').inputValue();
    ok(shown.endsWith(test.result), 'nothing is entered in a locked cell', shown);
    await looks(page, 'bench-locked');
}

run(async (browser) => {
    const here = await begin(browser, analyst);
    const there = await begin(browser, colleague);
    // A time that no clock shows is refused.
    here.seen.expected.push(/status of 400/);
    there.seen.expected.push(/status of 412/);

    await worklist(here.page);
    await entering(here.page);
    await views(here.page);
    await twoPeople(here.page, there.page);
    await withoutNetwork(here);
    await liveView(there.page);
    await leaving(here.page);
    await press(here.page, 'Control+s');
    await sentBack(here.page, there.page);
    await controls(here.page);
    await locked(here.page);
    await settings(here.page);
    await doubledHour(here.page);
    await making(here.page);
    await moving(here.page);
    await moreTests(there.page);
    quiet(here, 'the browser of the one');
    quiet(there, 'that of the other');
});

// SPDX-License-Identifier: Apache-2.0
//
// Number of acts, beyond typing the data, of a day's work: an order of 20 samples registered,
// received and labelled; 20 results entered, one of them tested again, all verified under signature.
import { Acts } from './acts.mjs';
import { act, ask, desk, drawn, hold, is, ok, open, quiet, run, signIn,
    until } from './support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const mateo = 'mateo.ortiz@cedarbasin.example';
const lena = 'lena.fischer@cedarbasin.example';
const people = {};

const copy = (page, rows) => page.evaluate((text) => navigator.clipboard.writeText(text),
    rows.map((row) => row.join('\t')).join('\n'));
const numbers = (count) => Array.from({ length: count }, (_, i) => i + 1);
const rail = (page, name) => page.locator('.rail').getByRole('link', { name });

async function begin(browser, email) {
    const here = await desk(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    // A tab that shows a PDF asks the server for an icon, which is not the application's.
    here.seen.expected.push(/status of 404.* \S+\/favicon\.ico$/);
    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, email);
    await here.page.waitForSelector('.rail');
    people[email] = here;
    return here.page;
}

function counted(acts, most, what) {
    console.log(`# ${what}: ${acts}`);
    ok(acts.all <= most, `${what}: at most ${most} acts`, acts);
}

const day = (hours) => new Date(Date.now() - hours * 3600_000).toISOString();
const named = async (page, path, code) => (await ask(page, 'GET', `${path}?limit=500`)).data
    .find((one) => one.code === code).id;

// An order of the client's that was registered before.
async function order(page, codes, count, received) {
    const tests = await Promise.all(codes.map((code) => named(page, '/test-definitions', code)));
    const materialTypeId = await named(page, '/material-types', 'DW');
    const { data: clients } = await ask(page, 'GET', '/clients?limit=500');
    const { samples } = await ask(page, 'POST', '/orders', {
        clientId: clients.find(({ name }) => name === 'Mesa Verde Water District').id,
        samples: numbers(count).map(() => ({ materialTypeId, testDefinitionIds: tests,
            collectedAt: day(30), priority: 'routine' })) });
    if (received) {
        await ask(page, 'POST', '/samples/receive', { sampleIds: samples.map(({ id }) => id) });
    }
    // As the database does by itself within a minute of so many.
    await act('analyze');
}

async function accession(page) {
    const acts = new Acts();
    await copy(page, [['Location', 'Collected', 'COC'],
        ...numbers(20).map((n) => [`Tap ${n}`, `06:${10 + n}`, `COC-77${10 + n}`])]);
    const letGo = await hold(page, /\/api\/test-definitions\?/);
    const orders = page.waitForResponse(/\/api\/orders\?.*clientId=/);
    await acts.click(rail(page, 'Accession'));
    await page.waitForSelector('[name=client]:focus');
    await acts.type(page, 'Mesa Verde Water District');
    const template = page.locator('.banner').getByRole('button', { name: /^ORD-/ }).first();
    await (await orders).finished();
    await drawn(page);
    is(await template.count(), 0, 'an order is no template before the names in it are read');
    await letGo();
    await acts.click(template);
    await until(page, () => document.activeElement.closest('[role=grid]'),
        'a template leads into the sheet');
    is(await page.inputValue('[name=tests]'), 'PB, CU', 'the last order is a template');
    await acts.press(page, 'Control+v');
    await page.getByRole('button', { name: /^Register 20 samples/ }).waitFor();
    await acts.fill(page.locator('[name=collected]'), '2026-11-02');
    await acts.fill(page.locator('[name=temperature]'), '4.1');
    await acts.press(page, 'Control+Shift+Enter');
    await page.waitForSelector('h1.id');
    ok(/20 samples registered as order ORD-.*20 samples received/.test(
        await page.textContent('.said')), 'twenty samples are registered and received');
    ok(/20 of 20 received/.test(await page.textContent('.head')), 'the order says that twenty samples are received');
    await page.getByRole('dialog').getByText('A4 sheet, 21 labels').waitFor({ state: 'attached' });
    const [printed] = await Promise.all([page.context().waitForEvent('response',
        (answer) => answer.request().isNavigationRequest() && answer.url().includes('/labels?')),
    acts.press(page, 'Enter')]);
    is(printed.headers()['content-type'], 'application/pdf', 'the labels of the order are printed');
    counted(acts, 12, 'an order of 20 samples');
}

const ways = {
    async pasted(acts, page, values) {
        await copy(page, values.map((value) => [value]));
        await acts.press(page, 'Control+v');
    },
    async typed(acts, page, values) {
        for (const [i, value] of values.entries()) {
            await acts.type(page, value);
            await acts.press(page, ...i + 1 < values.length ? ['Enter'] : []);
        }
    },
};

// From the worklist to the results of a method, entered and saved.
async function entered(acts, page, way, values) {
    await acts.click(page.getByRole('link', { name: 'SM 2540 G' }));
    await page.waitForSelector('td.editing input:focus');
    await ways[way](acts, page, values);
    await page.getByRole('button', { name: `Save ${values.length} cell` }).waitFor();
    await acts.press(page, 'Control+s');
    await page.getByRole('button', { name: 'All is saved' }).waitFor();
}

// Signs what is ticked.
async function signed(acts, page, count) {
    await page.getByRole('button', { name: `Verify ${count} result` }).waitFor();
    await acts.press(page, 'V');
    await page.waitForSelector('#sign:focus');
    await acts.type(page, process.env.LIMS_PASSWORD);
    await acts.press(page, 'Enter');
    await page.getByText(new RegExp(`^${count} results? verified`)).waitFor();
}

const worklist = (page) => page.waitForSelector('tr.cursor');
const values = numbers(20).map((n) => `0.${30 + n}`);

async function results({ reception, bench, review }, way, most) {
    const acts = new Acts();
    await order(reception, ['TSG'], 20, true);
    await open(bench, '/app/worklist');
    await worklist(bench);
    await entered(acts, bench, way, values);

    await open(review, '/app/verify');
    await worklist(review);
    await acts.press(review, 'f');
    await acts.choose(review.getByLabel('Test', { exact: true }), { label: 'TSG Total solids of a sludge' });
    await acts.click(review.getByRole('dialog').getByRole('button', { name: 'Filter', exact: true }));
    await review.getByText(/20 results in 1 run/).waitFor();
    await acts.click(review.locator('tbody th.id').nth(6));
    await acts.press(review, 't');
    await review.waitForSelector('#reason:focus');
    await acts.type(review, 'Peak at the edge of the window');
    await acts.press(review, 'Enter');
    await signed(acts, review, 19);

    await acts.click(rail(bench, 'Worklist'));
    await worklist(bench);
    await entered(acts, bench, 'typed', ['0.41']);

    await review.getByRole('button', { name: 'Choose this one' }).waitFor();
    await acts.press(review, 'c');
    await review.waitForSelector('#reason:focus');
    await acts.type(review, 'The first was at the edge of the window');
    await acts.press(review, 'Enter');
    await signed(acts, review, 1);
    counted(acts, most, `20 results with one retest, ${way}`);
}

run(async (browser) => {
    const [reception, bench, review] = [await begin(browser, ben), await begin(browser, mateo),
        await begin(browser, lena)];
    await order(reception, ['PB', 'CU'], 2, false);
    await accession(reception);
    await results({ reception, bench, review }, 'pasted', 30);
    await results({ reception, bench, review }, 'typed', 62);
    Object.entries(people).forEach(([email, here]) => quiet(here, email));
});

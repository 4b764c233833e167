// SPDX-License-Identifier: Apache-2.0
//
// What a day's work costs in acts beyond the data: an order of 20 samples registered and
// received; 20 results entered, one of them tested again, all verified under signature.
import { Acts } from './acts.mjs';
import { ask, desk, is, ok, open, quiet, run, signIn, until } from './support.mjs';

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
    return samples;
}

// Labels are not printed yet: their acts are none.
async function accession(page) {
    const acts = new Acts();
    await copy(page, [['Location', 'Collected', 'COC'],
        ...numbers(20).map((n) => [`Tap ${n}`, `06:${10 + n}`, `COC-77${10 + n}`])]);
    await acts.click(rail(page, 'Accession'));
    await page.waitForSelector('[name=client]:focus');
    await acts.type(page, 'Mesa Verde Water District');
    await acts.click(page.locator('.banner').getByRole('button', { name: /^ORD-/ }).first());
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
    ok(/20 of 20 received/.test(await page.textContent('.head')), '... as the order says');
    counted(acts, 12, 'an order of 20 samples');
}

run(async (browser) => {
    const reception = await begin(browser, ben);
    await order(reception, ['PB', 'CU'], 2, false);
    await accession(reception);
    Object.entries(people).forEach(([email, here]) => quiet(here, email));
});

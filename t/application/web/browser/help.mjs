// SPDX-License-Identifier: Apache-2.0
//
// Help of each screen, the guide for each role, the API's reference.
import { everyScreen, show, still, watching } from './screens.mjs';
import { act, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';

// Whatever the rail leads to explains itself.
async function screens(page) {
    const places = await page.locator('.rail a').evaluateAll((links) => links.map((link) =>
        ({ href: link.getAttribute('href'), title: link.textContent })));
    ok(places.length > 3, `${places.length} screens`);
    for (const { href, title } of places) {
        await page.locator(`.rail a[href="${href}"]`).click();
        await page.waitForSelector('main h1');
        // The focus moves no more when the screen has all it shows.
        await still(page);
        // F1 is for those whose cursor stands in a field.
        await press(page, await page.locator(':focus').and(page.locator('input')).count() ? 'F1' : '?');
        await page.waitForSelector('[role=dialog]');
        const said = await page.locator('[role=dialog] p').first().textContent();
        ok(said.trim().length > 40, `${title} says what it is for`, href);
        const [, name] = /\/(samples|verify|receive)$/.exec(href) ?? [];
        if (name) {
            await until(page, (has) => has === ['j ↓Next row', 'SpaceLook beside the list'].map((key) =>
                [...document.querySelectorAll('[role=dialog] tr')].some((row) =>
                    row.textContent === key)).join(), `${title} lists the keys that it takes`,
            { samples: 'true,true', verify: 'true,false', receive: 'false,false' }[name]);
        }
        await press(page, 'Escape');
        await until(page, () => !document.querySelector('[role=dialog]'), `${title}: help closes`);
    }
}

async function guide(page) {
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.waitForSelector('.steps li');
    is(await page.locator('.contents a').count(), 8, 'a guide for each role');
    await looks(page, 'guide');
    await page.locator('.contents').getByRole('link', { name: 'Reception' }).click();
    await until(page, () => /Scan|scanning/.test(document.querySelector('.steps')?.textContent),
        'another role is read');
    ok(page.url().endsWith('/guide/receiving_clerk'), 'the guide of a role has an address', page.url());
    await page.getByRole('link', { name: 'Go to Samples' }).first().click();
    await until(page, () => location.pathname.endsWith('/samples'), 'a step leads to its screen');
}

async function reference(page) {
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForSelector('.prose h2');
    ok(/Idempotency-Key/.test(await page.textContent('.prose')), 'the reference begins with the API');
    await looks(page, 'api-reference');
    await page.getByRole('link', { name: 'Register a sample and schedule its tests' }).click();
    await page.waitForSelector('.members');
    const shown = await page.textContent('article');
    ok(/POST \/api\/v1\/samples/.test(shown), 'an operation: method and path');
    ok(/clientName/.test(shown) && /materialTypeId.*required/s.test(shown), 'an operation shows the members of its body');
    ok(/SAMPLE_LIMIT_EXCEEDED/.test(shown), 'an operation shows what may refuse it');
    ok(/curl -X POST/.test(shown), 'the reference shows an example');
    await looks(page, 'api-operation');
    await page.getByRole('link', { name: 'result.verified' }).click();
    await until(page, () => /webhook-signature/.test(document.querySelector('article')?.textContent),
        'a webhook with its header fields');
}

// An order needs a client and a material: where there is none, one is made from the order.
async function accession(page) {
    const missing = page.getByRole('group', { name: 'Before the first order' });
    await show(page, '/app/orders/new');
    await missing.getByRole('link', { name: 'Create a material' }).click();
    await page.waitForSelector('.filling');
    ok(page.url().endsWith('/reference/material-types/new'), 'a laboratory without any material is led to where one is made', page.url());
    await show(page, '/app/orders/new');
    await missing.getByRole('link', { name: 'Create a client' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Code', { exact: true }).fill('LOCH');
    await form.getByLabel('Name', { exact: true }).fill('Loch Trust');
    await form.getByRole('button', { name: 'Create a client' }).click();
    await until(page, () => document.querySelector('[name=client]')?.value === 'Loch Trust',
        'the first client is made from the order, and is its client');
    await until(page, () => !/Create a client/.test(document.querySelector('main')?.textContent)
        && /Create a material/.test(document.querySelector('main')?.textContent),
    'what is there is no longer asked for');
}

// A laboratory that has nothing yet: each empty list leads to what fills it.
async function empty(browser) {
    const here = await desk(browser);
    const { email, password } = await act('beginner');
    const lists = /^\/app\/(?!reference|audit|turnaround)[a-z-]+(?:\/tests)?$/;
    let found = 0;
    await here.context.addInitScript(watching);
    await open(here.page, '/app/account');
    await here.page.waitForSelector('#email');
    await signIn(here.page, email, password);
    await here.page.waitForSelector('.rail a');
    await everyScreen(here.page, async (page, path) => {
        const nothing = page.locator('main .nothing');
        if (await nothing.count()) {
            found++;
            ok(await nothing.locator('a, button').count() > 0, `${path}, empty, leads on`);
        }
    }, (path) => lists.test(path));
    ok(found > 10, `${found} lists were empty`);
    await accession(here.page);
    quiet(here, 'the beginner');
    await here.context.close();
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    await here.context.addInitScript(watching);
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, lena);
    await page.waitForSelector('.rail a');
    await screens(page);
    await guide(page);
    await reference(page);
    quiet(here);
    await empty(browser);
});

// SPDX-License-Identifier: Apache-2.0
//
// Every screen, as the routes of the pages say, with markup in every text.
import { everyScreen, folders, inApplication, nouns, patternsOf, show, watching } from './screens.mjs';
import { desk, is, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const ruth = 'ruth.calder@cedarbasin.example';

// No text of people is on these, or the demonstration has none of them.
const without = new RegExp('^/app/(?:account|guide|api-reference|receive|orders/new|permissions'
    + '|organization|webhook-deliveries|worksheets/of/\\d+)$');

// --- What is seen on one ---------------------------------------------------------

const look = (page) => page.evaluate(() => {
    const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069]/;
    const all = [...document.querySelectorAll('*')];
    const texts = [document.body.innerText, document.title, ...all.flatMap((one) =>
        [...one.attributes].map(({ value }) => value)), ...all.map(({ value }) => String(value ?? ''))];
    return {
        hits: window.hits,
        markup: document.querySelectorAll('img[src=x], body script, [onerror], [onload],'
            + ' a[href^="javascript:"]').length,
        hidden: texts.filter((text) => hidden.test(text)).map((text) =>
            text.slice(Math.max(0, text.search(hidden) - 60), text.search(hidden) + 20)),
        shown: [...document.querySelectorAll('main, [role=dialog]')].some((one) =>
            /<img src=x/.test(one.innerText)
            || [...one.querySelectorAll('input, textarea')].some(({ value }) => /<img/.test(value))),
        crashed: document.body.innerText.includes('Something went wrong'),
    };
});

async function safe(page, place) {
    const { hits, markup, hidden, shown, crashed } = await look(page);
    ok(hits === 0 && markup === 0 && hidden.length === 0 && !crashed
        && (shown || without.test(place)), `${place}: seen as what it is`,
    JSON.stringify({ hits, markup, hidden: hidden.slice(0, 3), shown, crashed }));
}

async function dialogs(page) {
    await show(page, '/app/verify');
    await press(page, 'V');
    await page.waitForSelector('[role=dialog]');
    await safe(page, 'what is signed');
    await press(page, 'Escape');
    await show(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Space');
    await page.waitForSelector('.peek h2');
    await safe(page, 'a peek');
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await safe(page, 'quick actions');
    await press(page, 'Escape');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    here.seen.expected.push(/status of 404/);
    await here.context.addInitScript(watching);
    await here.context.addInitScript(() => {
        window.hits = 0;
        window.hit = () => {
            window.hits++;
        };
    });
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ruth);
    await page.waitForSelector('.rail');
    is(inApplication(), folders.length, 'every folder of pages is in the application');
    folders.forEach((folder) => ok(patternsOf(folder).length > 0, `pages/${folder} has screens`));
    ok(nouns().length > 5, `${nouns().length} nouns of reference data have screens`);
    const seen = await everyScreen(page, safe);
    ok(seen > 60, `${seen} screens`);
    await dialogs(page);
    await until(page, () => window.hits === 0, 'nothing ran');
    quiet(here);
});

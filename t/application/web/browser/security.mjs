// SPDX-License-Identifier: Apache-2.0
//
// Every screen, as the routes of the pages say, with markup in every text.
import { readFileSync, readdirSync } from 'node:fs';

import { act, ask, desk, is, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const ruth = 'ruth.calder@cedarbasin.example';
const web = new URL('../../../../modules/application/web/', import.meta.url);

// --- Which screens there are ---------------------------------------------------

const folders = readdirSync(new URL('pages', web)).filter((folder) =>
    readdirSync(new URL(`pages/${folder}`, web)).includes('routes.tsx'));

function patternsOf(folder) {
    const source = readFileSync(new URL(`pages/${folder}/routes.tsx`, web), 'utf8');
    const found = [...source.matchAll(/pattern: ['`](.*?)['`]/g)].map(([, pattern]) => pattern);
    ok(found.length > 0, `pages/${folder} has screens`);
    return found.flatMap((pattern) => pattern.includes('${kind}')
        ? ['reagent', 'media'].map((kind) => pattern.replace('${kind}', kind)) : [pattern]);
}

// What stands in an address besides a record's id.
const words = { act: 'rotate', panel: 'change', tab: '', role: '', operation: '' };
// What a noun of the pages is called below the API.
const resources = { approvals: 'approval-records', webhooks: 'webhook-endpoints',
    of: 'sample-tests' };
// No text of people is on these, or the demonstration has none of them.
const without = new RegExp('^/app/(?:account|guide|api-reference|receive|orders/new|permissions'
    + '|organization|webhook-deliveries|worksheets/of/\\d+)$');

async function firstId(page, noun) {
    const { data } = await ask(page, 'GET', `/${resources[noun] ?? noun}?limit=1`);
    return data[0]?.id;
}

async function valuesOf(page, noun, name) {
    if (name === 'method') {
        const [[method]] = await act('rows', `SELECT d.method FROM lims.sample_test t
            JOIN lims.test_definition d ON d.id = t.test_definition_id
            WHERE t.status = 'pending' AND d.method IS NOT NULL ORDER BY t.id LIMIT 1`);
        return [method];
    }
    if (name === 'noun') {
        const source = readFileSync(new URL('pages/reference/nouns.ts', web), 'utf8');
        return [...source.matchAll(/^    '?([a-z-]+)'?: \{/gm)].map(([, found]) => found);
    }
    return name in words ? [words[name]] : [await firstId(page, name === 'batch' ? 'qc-batches'
        : noun)];
}

// The addresses of a pattern: with and without each part that may be left out.
async function addressesOf(page, pattern) {
    let paths = [''];
    const found = [];
    for (const part of pattern.slice(1).split('/')) {
        const name = part.startsWith(':') ? part.replace(/[:?]/g, '') : '';
        if (part.endsWith('?')) {
            found.push(...paths);
        }
        const next = await Promise.all(paths.map(async (path) => {
            const noun = path.split('/').at(-1);
            const values = name ? await valuesOf(page, noun, name) : [part];
            return values.filter((value) => value !== undefined && value !== '')
                .map((value) => `${path}/${encodeURIComponent(value)}`);
        }));
        paths = next.flat();
    }
    return [...new Set([...found, ...paths])].map((path) => `/app${path}`);
}

// --- What is seen on one ---------------------------------------------------------

// Counts what is asked of the service, to know when a screen has all it shows.
const watching = () => {
    window.hits = 0;
    window.hit = () => {
        window.hits++;
    };
    window.asked = 0;
    const { fetch } = window;
    window.fetch = (...given) => {
        window.asked++;
        return fetch(...given).finally(() => setTimeout(() => window.asked--));
    };
};

const show = async (page, path) => {
    await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
    }, path);
    await page.waitForFunction(() => {
        const still = window.asked === 0 && document.querySelector('main, [role=dialog]')
            && !document.querySelector('main [aria-busy=true]');
        window.stillFor = still ? (window.stillFor ?? 0) + 1 : 0;
        return window.stillFor > 3;
    }, null, { timeout: 15000 });
};

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
        tabs: [...document.querySelectorAll('.tabs a')].map((one) => one.pathname),
    };
});

async function safe(page, place) {
    const { hits, markup, hidden, shown, crashed, tabs } = await look(page);
    ok(hits === 0 && markup === 0 && hidden.length === 0 && !crashed
        && (shown || without.test(place)), `${place}: seen as what it is`,
    JSON.stringify({ hits, markup, hidden: hidden.slice(0, 3), shown, crashed }));
    return tabs;
}

async function everyScreen(page) {
    const seen = new Set();
    const left = [];
    for (const folder of folders) {
        for (const pattern of patternsOf(folder)) {
            left.push(...await addressesOf(page, pattern));
        }
    }
    for (let place = left.shift(); place; place = left.shift()) {
        if (!seen.has(place)) {
            seen.add(place);
            await show(page, place);
            left.push(...await safe(page, place));
        }
    }
    ok(seen.size > 60, `${seen.size} screens`);
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
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ruth);
    await page.waitForSelector('.rail');
    is(readFileSync(new URL('app.tsx', web), 'utf8').match(/^ {4}\.\.\.\w+Routes,$/gm).length,
        folders.length, 'every folder of pages is in the application');
    await everyScreen(page);
    await dialogs(page);
    await until(page, () => window.hits === 0, 'nothing ran');
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Every screen of the application, as the routes of its pages say: a new screen is among them
// without a line here.
import { readFileSync, readdirSync } from 'node:fs';

import { act, ask } from './support.mjs';

const web = new URL('../../../../modules/application/web/', import.meta.url);
const source = (path) => readFileSync(new URL(path, web), 'utf8');

export const folders = readdirSync(new URL('pages', web)).filter((folder) =>
    readdirSync(new URL(`pages/${folder}`, web)).includes('routes.tsx'));

// How many folders the application takes its routes from.
export const inApplication = () => source('app.tsx').match(/^ {4}\.\.\.\w+Routes,$/gm).length;

export function patternsOf(folder) {
    const found = [...source(`pages/${folder}/routes.tsx`).matchAll(/pattern: ['`](.*?)['`]/g)]
        .map(([, pattern]) => pattern);
    return found.flatMap((pattern) => pattern.includes('${kind}')
        ? ['reagent', 'media'].map((kind) => pattern.replace('${kind}', kind)) : [pattern]);
}

// --- Addresses -------------------------------------------------------------------

// Values of the words in addresses, besides ids of records.
const words = { act: 'rotate', panel: 'change', tab: '', role: '', operation: '' };
// Names of resources in the API, by the nouns of the pages.
const resources = { approvals: 'approval-records', webhooks: 'webhook-endpoints',
    of: 'sample-tests' };

export const nouns = () =>
    [...source('pages/reference/nouns.ts').matchAll(/\bnoun\('([a-z-]+)', \{ list:/g)]
        .map(([, noun]) => noun);

// A record of the laboratory of the person who is signed in on the page.
export async function idIn(page, noun) {
    const { data } = await ask(page, 'GET', `/${resources[noun] ?? noun}?limit=1`);
    return data[0]?.id;
}

async function pendingTest(page) {
    const { organization } = await ask(page, 'GET', '/session');
    const [row] = await act('rows', `SELECT d.method, t.id FROM lims.sample_test t
        JOIN lims.test_definition d ON d.id = t.test_definition_id
        WHERE t.organization_id = ? AND t.status = 'pending' AND d.method IS NOT NULL
        ORDER BY t.id LIMIT 1`, organization.id);
    return row ?? [];
}

async function valuesOf(page, noun, name) {
    if (name === 'method' || name === 'tests') {
        return [(await pendingTest(page))[name === 'method' ? 0 : 1]];
    }
    if (name === 'noun') {
        return nouns();
    }
    return name in words ? [words[name]]
        : [await idIn(page, name === 'batch' ? 'qc-batches' : noun)];
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

// --- Going to one ----------------------------------------------------------------

// Before a page begins: counts what is asked of the service and not answered whole, to know when
// a screen has all it shows; holds it back while `window.holding`.
export const watching = () => {
    window.asked = 0;
    const { fetch } = window;
    const whole = async (...given) => {
        const answer = await fetch(...given);
        await answer.clone().arrayBuffer();
        return answer;
    };
    window.fetch = (...given) => {
        if (window.holding) {
            return new Promise(() => {});
        }
        window.asked++;
        return whole(...given).finally(() => setTimeout(() => window.asked--));
    };
};

export const go = (page, path) => page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
}, path);

// Until a page that is watched has all it shows: nothing is asked for, and nothing is left to do,
// such as to draw an answer and to ask what that leads to.
export async function still(page) {
    await page.evaluate(() => {
        window.stillFor = 0;
    });
    await page.waitForFunction(() => {
        const still = window.asked === 0 && document.querySelector('main')?.innerText.trim()
            && !document.querySelector('main [aria-busy=true]');
        if (still) {
            // Comes after the tasks that wait; a test may have set the timers of the page.
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => window.stillFor++;
            port2.postMessage(null);
        } else {
            window.stillFor = 0;
        }
        return window.stillFor > 3;
    }, null, { timeout: 15000 });
}

export async function show(page, path) {
    await go(page, path);
    await still(page);
}

// Shows the person who is signed in on the page every screen, with every tab of a record, and
// calls `look(page, path)` at each; answers how many there were.
export async function everyScreen(page, look, wanted = () => true) {
    const seen = new Set();
    const left = [];
    for (const pattern of folders.flatMap(patternsOf)) {
        left.push(...await addressesOf(page, pattern));
    }
    for (let path = left.shift(); path; path = left.shift()) {
        if (!seen.has(path) && wanted(path)) {
            seen.add(path);
            await show(page, path);
            await look(page, path);
            left.push(...await page.evaluate(() =>
                [...document.querySelectorAll('.tabs a')].map(({ pathname }) => pathname)));
        }
    }
    return seen.size;
}

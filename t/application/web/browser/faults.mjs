// SPDX-License-Identifier: Apache-2.0
//
// Every fault in the middle of every work: entering a result, signing one, registering an
// order. A fault strikes when the request of the work is on its way.
import { act, desk, is, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const mateo = 'mateo.ortiz@cedarbasin.example';
const ben = 'ben.walsh@cedarbasin.example';
const patience = 20_000;

const count = async (...query) => Number((await act('rows', ...query))[0][0]);
const show = (page, path) => page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
}, path);

// --- Works -------------------------------------------------------------------

// Each: what is typed, the request that carries it, what sends it (again), when the page says
// that it is done or that it is not, and how often it stands in the database.
const cell = 'tr[data-row="0"] td[data-column="0"] input';
const entering = {
    name: 'a result is entered',
    person: mateo,
    request: '**/api/sample-tests/bulk-results',
    async type(page, n) {
        await show(page, '/app/bench/method/EPA%20300.0');
        await page.waitForSelector(cell);
        await page.focus(cell);
        await page.keyboard.type(`0.4${n}`, { delay: 50 });
        await page.waitForSelector('td.editing .mark');
    },
    typed: (page) => page.inputValue(cell),
    value: (n) => `0.4${n}`,
    send: (page) => press(page, 'Control+s'),
    done: () => [...document.querySelectorAll('.head .btn')]
        .some((one) => /All is saved/.test(one.textContent)),
    told: () => /next try|cannot be reached/.test(
        document.querySelector('.statusline')?.textContent ?? ''),
    count: (n) => count(`SELECT count(*) FROM lims.audit_entry WHERE table_name = 'sample_test'
        AND changes -> 'result' ->> 'new' = ? AND surface = 'application'`, `0.4${n}`),
    expected: 1,
};

async function codesTicked(page) {
    await show(page, '/app/verify');
    await page.waitForSelector('tbody input:checked');
    const codes = await page.locator('tbody tr:has(input:checked) td:nth-child(4)')
        .allTextContents();
    return [...new Set(codes)];
}

const signing = {
    name: 'results are signed',
    person: lena,
    request: '**/api/sample-tests/verify',
    // Each time those of another test of which some need no look.
    async type(page, n) {
        this.codes ??= await codesTicked(page);
        const code = this.codes.shift();
        const [[id]] = await act('rows', `SELECT d.id FROM lims.test_definition d
            JOIN lims.organization o ON o.id = d.organization_id
            WHERE o.code = 'cedar-basin' AND d.code = ?`, code);
        await show(page, `/app/verify?testDefinitionId=${id}`);
        await until(page, (expected) => {
            const shown = [...document.querySelectorAll('tbody tr:has(input)')];
            return shown.length > 0 && shown.every(({ cells }) => cells[3].textContent === expected);
        }, `results of ${code} wait to be verified`, code);
        this.expected = await page.locator('tbody input:checked').count();
        await press(page, 'V');
        await page.waitForSelector('#sign');
        await page.fill('#reason', this.value(n));
        await page.fill('#sign', process.env.LIMS_PASSWORD);
    },
    typed: (page) => page.inputValue('#reason'),
    value: (n) => `Compared with the raw data ${n}`,
    send: (page) => page.press('#sign', 'Enter'),
    done: () => !document.querySelector('[role=dialog]'),
    told: () => document.querySelector('#refusal') !== null,
    count: (n) => count('SELECT count(*) FROM lims.electronic_signature WHERE reason = ?',
        `Compared with the raw data ${n}`),
};

const registering = {
    name: 'an order is registered',
    person: ben,
    request: '**/api/orders',
    async type(page, n) {
        await show(page, '/app/orders/new');
        await page.waitForSelector('.grid .editing');
        await page.fill('[name=client]', 'Mesa Verde Water District');
        await page.fill('[name=tests]', 'PB, CU');
        await page.fill('[name=material]', 'Drinking water');
        await page.fill('[name=collected]', '2026-11-02');
        await page.click('tr[data-row="0"] td[data-column="3"]');
        await page.keyboard.insertText('06:15');
        await page.click('tr[data-row="0"] td[data-column="0"]');
        await page.keyboard.insertText(this.value(n));
    },
    typed: (page) => page.inputValue(cell),
    value: (n) => `Tap of fault ${n}`,
    send: (page) => press(page, 'Control+Enter'),
    done: () => document.querySelector('h1.id') !== null,
    told: () => /not be reached|not reached/.test(
        document.querySelector('.filters [role=alert]')?.textContent ?? ''),
    count: (n) => count('SELECT count(*) FROM lims.sample WHERE plant_location = ?',
        `Tap of fault ${n}`),
    expected: 1,
};

// --- Faults ------------------------------------------------------------------

// Once, when the request of the work has left the page.
const onTheWay = ({ page }, { request }, strike) => page.route(request, async (route) => {
    await strike(route);
}, { times: 1 });

const faults = {
    'httpd is gracefully restarted': (here, work) => onTheWay(here, work, async (route) => {
        await act('graceful');
        await route.continue();
    }),
    'PostgreSQL is restarted': (here, work) => onTheWay(here, work, async (route) => {
        const refused = here.page.waitForResponse((answer) => answer.status() === 503);
        await act('stop');
        await route.continue();
        await refused;
        await act('start');
    }),
    'the network is cut': async ({ context, page }, work) => {
        await context.setOffline(true);
        page.waitForFunction(work.told, null, { timeout: patience })
            .then(() => context.setOffline(false), () => context.setOffline(false));
    },
    'the answer is lost': (here, work) => onTheWay(here, work, async (route) => {
        const lost = await route.fetch({ headers: {
            ...await route.request().allHeaders(), 'sec-fetch-site': 'same-origin' } });
        ok(lost.ok(), `${work.name}: the service has answered`, lost.status(), await lost.text());
        await route.abort('connectionreset');
    }),
    'the session ends': ({ context }) => context.clearCookies(),
};

// --- What becomes of it ------------------------------------------------------

// Where a work stands, asked of the page as one function.
const standing = ({ done, told }) => new Function(`return document.querySelector('.cover')
    ? 'covered' : (${done})() ? 'done' : (${told})() ? 'told' : false`);

// A person goes on: signs in again where that is asked for, sends again what was not sent.
async function goOn(page, work, name) {
    const end = Date.now() + 3 * patience;

    let state = '';
    while (state !== 'done' && Date.now() < end) {
        state = await page.waitForFunction(standing(work), null, { timeout: patience })
            .then((found) => found.jsonValue());
        if (state === 'covered') {
            await page.fill('#again', process.env.LIMS_PASSWORD);
            await page.press('#again', 'Enter');
            await until(page, () => !document.querySelector('.cover'), `${name}: signed in again`);
        } else if (state === 'told') {
            await work.send(page);
        }
    }
    if (state !== 'done') {
        ok(false, `${name}: it comes to an end`, state);
    }
}

async function strike(here, work, fault, n) {
    const { page } = here;
    const name = `${work.name} while ${fault}`;

    await work.type(page, n);
    await faults[fault](here, work);
    await work.send(page);
    await goOn(page, work, name);
    await page.unrouteAll({ behavior: 'wait' });
    is(await work.count(n), work.expected, `${name}: done, once`);
}

async function closed({ page }, work) {
    await work.type(page, 9);
    const [asked] = await Promise.all([
        page.waitForEvent('dialog', { timeout: patience }),
        page.close({ runBeforeUnload: true }),
    ]);
    is(asked.type(), 'beforeunload', `${work.name} while the tab is closed: one is asked`);
    await asked.dismiss();
    is(await work.typed(page), work.value(9), '... and what was typed is there');
    is(await work.count(9), 0, '... and nothing is done');
}

// What has no rule against being done twice: only its key tells that it is the same.
async function commentOnce(here) {
    const { page } = here;
    const text = 'The client called about the bottle';
    const [[id]] = await act('rows', `SELECT min(s.id) FROM lims.sample s
        JOIN lims.organization o ON o.id = s.organization_id WHERE o.code = 'cedar-basin'`);
    await show(page, `/app/samples/${id}/comments`);
    await page.waitForSelector('#comment');
    await page.fill('#comment', text);
    await faults['the answer is lost'](here, { name: 'a comment is written', request: '**/api/comments' });
    for (const left of [text, '']) {
        await page.getByRole('button', { name: 'Add the comment' }).click();
        await page.waitForFunction((expected) => expected === ''
            ? document.querySelector('#comment').value === ''
            : document.querySelector('.said') !== null, left, { timeout: patience });
    }
    is(await count('SELECT count(*) FROM lims.comment WHERE text = ?', text), 1,
        'a comment is sent again when its answer is lost: it stands there once');
}

// What this browser remembers of the work: nothing. (The session's cookie no script sees.)
const remembered = (page) => page.evaluate(async () => [
    ...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie,
    ...await indexedDB.databases(), ...await caches.keys(),
].filter((one) => one !== '').length);

run(async (browser) => {
    for (const work of [entering, signing, registering]) {
        const here = await desk(browser);
        here.seen.expected.push(/status of (403|409|503)/, /net::ERR_/);
        await open(here.page);
        await here.page.waitForSelector('#email');
        await signIn(here.page, work.person);
        await here.page.waitForSelector('.rail');
        for (const [n, fault] of Object.keys(faults).entries()) {
            await strike(here, work, fault, n);
        }
        if (work === registering) {
            await commentOnce(here);
        }
        await closed(here, work);
        is(await remembered(here.page), 0, `${work.name}: the browser keeps nothing of it`);
        quiet(here, `the browser in which ${work.name}`);
        await here.context.close();
    }
});

// SPDX-License-Identifier: Apache-2.0
//
// Every fault in the middle of every work (works.mjs): what was acknowledged is there, nothing
// is done twice, and what was typed is there until it is done. A fault strikes when the
// request of the work is on its way.
import { act, ask, desk, is, ok, open, quiet, run, signIn, until } from './support.mjs';
import { count, show, works } from './works.mjs';

const patience = 20_000;

// --- Faults ------------------------------------------------------------------

// Once, when the request of the work has left the page.
const onTheWay = ({ page }, { request }, strike) => page.route(request, async (route) => {
    await strike(route);
}, { times: 1 });

// Has the service answer; what it said is not told to the page.
async function answered(route, { name }) {
    const lost = await route.fetch({ headers: {
        ...await route.request().allHeaders(), 'sec-fetch-site': 'same-origin' } });
    ok(lost.ok(), `${name}: the service has answered`, lost.status(), await lost.text());
}

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
        await answered(route, work);
        await route.abort('connectionreset');
    }),
    'the session ends': (here, work) => onTheWay(here, work, async (route) => {
        await here.context.clearCookies();
        await route.continue();
    }),
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
    is(await work.count(work.value(n)), work.expected, `${name}: done, once`);
}

async function enter(browser, person) {
    const here = await desk(browser);
    here.seen.expected.push(/status of (400|403|409|412|503)/, /net::ERR_/);
    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, person);
    await here.page.waitForSelector('.rail');
    return here;
}

// The other browser sends the same with something else in it, and is served first.
async function overtaken(browser, here, work) {
    const { page } = here;
    const other = await enter(browser, work.other);
    const mine = work.value(7);

    await work.type(page, 7);
    await onTheWay(here, work, async (route) => {
        const sent = route.request();
        await ask(other.page, sent.method(), new URL(sent.url()).pathname.split('/api')[1],
            work.theirBody(sent.postDataJSON(), work.theirs));
        await route.continue();
    });
    await work.send(page);
    await until(page, work.overtaken, `${work.name} in two browsers: the second one is told`);
    is(await work.typed(page), mine, `${work.name}: what was typed in the second browser is there`);
    is(await work.count(work.theirs), work.expected, `${work.name}: what the first browser did is done, once`);
    is(await work.count(mine), 0, `${work.name}: nothing of the second browser is done`);
    const expected = await work.decide(page);
    is(await work.count(mine), expected, `${work.name}: after a decision the second is ${expected ? 'done, once' : 'not done'}`);
    quiet(other, `the other browser in which ${work.name}`);
    await other.context.close();
}

async function askedToClose(page, name) {
    const [asked] = await Promise.all([
        page.waitForEvent('dialog', { timeout: patience }),
        page.close({ runBeforeUnload: true }),
    ]);
    is(asked.type(), 'beforeunload', `${name}: one is asked`);
    return asked;
}

async function closed({ page }, work) {
    const name = `${work.name} while the tab is closed`;
    const mine = work.value(9);

    await work.type(page, 9);
    const asked = await askedToClose(page, name);
    await asked.dismiss();
    is(await work.typed(page), mine, `${name}: what was typed is there when closing was declined`);
    is(await work.count(mine), 0, `${name}: nothing is done when closing was declined`);
}

// The tab is closed all the same, when the service has answered and the page does not know it.
async function closedOnTheWay(here, work) {
    const { page } = here;
    let arrived;
    const done = new Promise((resolve) => {
        arrived = resolve;
    });

    await onTheWay(here, work, async (route) => arrived(await answered(route, work)));
    await work.send(page);
    await done;
    const asked = await askedToClose(page, `${work.name} while the tab is closed on the way`);
    const gone = page.waitForEvent('close', { timeout: patience });
    await asked.accept();
    await gone;
    is(await work.count(work.value(9)), work.expected, 'the change is made once');
}

async function written(page, text, name, sent) {
    await until(page, () => document.querySelector('#comment').value === '', `${name}: it is written`);
    await Promise.all(sent.map((request) => request.response()));
    is(await count('SELECT count(*) FROM lims.comment WHERE text = ?', text), 1,
        'the comment is written once');
}

// A comment has no rule against duplicates: only its idempotency key shows that it is the same
// request.
async function commentOnce(here) {
    const { page } = here;
    const text = 'The client called about the bottle';
    const [[id]] = await act('rows', `SELECT min(s.id) FROM lims.sample s
        JOIN lims.organization o ON o.id = s.organization_id WHERE o.code = 'cedar-basin'`);
    await show(page, `/app/samples/${id}/comments`);
    await page.waitForSelector('#comment');
    await page.fill('#comment', text);
    const sent = [];
    page.on('request', (request) => request.url().endsWith('/api/comments') && sent.push(request));
    await faults['the answer is lost'](here, { name: 'a comment is written', request: '**/api/comments' });
    const add = page.getByRole('button', { name: 'Add the comment' });
    await add.click();
    await until(page, () => /cannot be reached/.test(document.querySelector('.said').textContent),
        'that the answer was lost is told');
    await add.click();
    await written(page, text, 'a comment is sent again when its answer is lost', sent);
    await page.fill('#comment', `${text} again`);
    await add.evaluate((button) => {
        button.click();
        button.click();
    });
    await written(page, `${text} again`, 'a comment whose button is pressed twice', sent);
}

// Returns all that the browser has stored about the work: nothing. (Scripts cannot see the
// session's cookie.)
const remembered = (page) => page.evaluate(async () => [
    ...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie,
    ...await indexedDB.databases(), ...await caches.keys(),
].filter((one) => one !== '').length);

run(async (browser) => {
    for (const work of works) {
        const here = await enter(browser, work.person);
        for (const [n, fault] of Object.keys(faults).entries()) {
            await strike(here, work, fault, n);
        }
        if (work === works.at(-1)) {
            await commentOnce(here);
        }
        await overtaken(browser, here, work);
        await closed(here, work);
        is(await remembered(here.page), 0, `${work.name}: the browser keeps nothing of it`);
        await closedOnTheWay(here, work);
        quiet(here, `the browser in which ${work.name}`);
        await here.context.close();
    }
});

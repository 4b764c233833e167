// SPDX-License-Identifier: Apache-2.0
//
// A picture of every screen in every state, to be looked at: full, empty, refused and waiting,
// at both sizes, light and dark. build/out/screenshots has them as
// <screen>-<state>-<size>-<theme>.png, the sheets six of them each, index.html all.
import { accessible, act, desk, is, ok, open, pictures, quiet, run, signIn } from './support.mjs';
import { everyScreen, go, show, watching } from './screens.mjs';
import { sheets } from './sheets.mjs';

const wanted = new RegExp(process.env.PICTURES);
const states = (process.env.PICTURES_STATES ?? '').split(/[\s,]+/).filter(Boolean);
const sizes = [{ width: 1366, height: 768 }, { width: 1024, height: 768 }];
const themes = ['light', 'dark'];

// samples-record-history of /app/samples/12/history.
const nameOf = (path) => path.replace(/^\/app\//, '').split('/').map((part) =>
    /^\d+$/.test(part) ? 'record' : decodeURIComponent(part).toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')).join('-');

const isWanted = (path) => wanted.test(nameOf(path));

const taken = [];

async function picture(page, screen, state) {
    for (const size of sizes) {
        await page.setViewportSize(size);
        for (const theme of themes) {
            await page.emulateMedia({ colorScheme: theme });
            const file = `${screen}-${state}-${size.width}-${theme}.png`;
            await page.screenshot({ path: `${pictures}/${file}`, animations: 'disabled' });
            taken.push({ file, screen, state, size: size.width, theme });
        }
    }
    await page.setViewportSize(sizes[0]);
    await page.emulateMedia({ colorScheme: themes[0] });
    await accessible(page, `${screen}, ${state}`);
}

// --- What a screen has to say ------------------------------------------------------

const seen = (page) => page.evaluate(() => ({
    main: document.querySelector('main')?.innerText.trim() ?? '',
    busy: document.querySelector('main [aria-busy=true]') !== null,
    nothing: [...document.querySelectorAll('main .nothing')].map((one) => one.innerText).join('\n'),
    crashed: document.body.innerText.includes('Something went wrong'),
    // An element wider than the page makes all of it scroll sideways.
    wide: document.documentElement.scrollWidth > innerWidth,
}));

async function sane(page, screen, state) {
    const { main, crashed, wide } = await seen(page);
    ok(main !== '' && !crashed && !wide, `${screen}, ${state}: shown whole`,
        JSON.stringify({ main: main.slice(0, 200), crashed, wide }));
}

// --- The states --------------------------------------------------------------------

// A desk at which a person of the test's sits: `who` is one of pictures.t.
async function deskOf(browser, who) {
    const here = await desk(browser);
    const { email, password } = await act('person', who);
    here.seen.expected.push(/status of (?:403|404)/);
    await here.context.addInitScript(watching);
    await open(here.page, '/app/account');
    await here.page.waitForSelector('#email');
    await signIn(here.page, email, password);
    await here.page.waitForSelector('.rail');
    return here;
}

async function leave(here, state) {
    quiet(here, state);
    await here.context.close();
}

async function full(browser, state, who) {
    const here = await deskOf(browser, who);
    const paths = [];
    await everyScreen(here.page, async (page, path) => {
        paths.push(path);
        await sane(page, nameOf(path), state);
        await picture(page, nameOf(path), state);
    }, isWanted);
    await leave(here, state);
    return paths;
}

// Records that are not there, which is what those of another laboratory are as well.
async function unknown(browser, paths) {
    const here = await deskOf(browser, 'cedar-basin');
    const records = new Set(paths.map((path) => path.replace(/\/\d+(?=\/|$)/g, '/999999999'))
        .filter((path) => path.includes('/999999999')));
    for (const path of records) {
        await show(here.page, path);
        await sane(here.page, nameOf(path), 'unknown');
        await picture(here.page, nameOf(path), 'unknown');
    }
    await leave(here, 'unknown');
}

// Screens for which the person lacks the permission: they say which, and who has it.
async function refused(browser, paths) {
    const here = await deskOf(browser, 'refused');
    for (const path of paths) {
        await show(here.page, path);
        const { nothing } = await seen(here.page);
        if (nothing) {
            await sane(here.page, nameOf(path), 'refused');
            await picture(here.page, nameOf(path), 'refused');
        }
    }
    await leave(here, 'refused');
}

// Screens whose data has not come: all that they ask for is held back.
async function waiting(browser, paths) {
    const here = await deskOf(browser, 'cedar-basin');
    const { page } = here;
    for (const path of paths) {
        await show(page, '/app/account');
        await page.evaluate(() => {
            window.holding = true;
        });
        await go(page, path);
        await page.waitForSelector('main [aria-busy=true]', { timeout: 1000 }).catch(() => null);
        await sane(page, nameOf(path), 'waiting');
        await picture(page, nameOf(path), 'waiting');
        await page.evaluate(() => {
            window.holding = false;
        });
    }
    await leave(here, 'waiting');
}

// Takes pictures of the pages before signing in, and of those at the first sign-in.
async function entering(browser) {
    const here = await desk(browser);
    const { page } = here;
    await open(page);
    await page.waitForSelector('#email');
    await picture(page, 'sign-in', 'full');
    await signIn(page, 'nobody@cedarbasin.example', 'not the password');
    await page.waitForSelector('[role=alert]');
    await picture(page, 'sign-in', 'refused');
    await open(page, '/app/link#0123456789abcdef');
    await page.waitForSelector('main form');
    await picture(page, 'link', 'full');
    await open(page, '/app/link');
    await page.waitForSelector('main [role=alert]');
    await picture(page, 'link', 'refused');
    const { email, password } = await act('person', 'first');
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, email, password);
    await page.waitForSelector('main:not(:has(#email))');
    await picture(page, 'first-day', 'full');
    await leave(here, 'entering');
}

const isStateWanted = (state) => states.length === 0 || states.includes(state);

run(async (browser) => {
    const paths = await full(browser, 'full', 'cedar-basin');
    const others = {
        'full-harborview': () => full(browser, 'full-harborview', 'harborview'),
        empty: () => full(browser, 'empty', 'empty'),
        unknown: () => unknown(browser, paths),
        refused: () => refused(browser, paths),
        waiting: () => waiting(browser, paths),
        entering: () => entering(browser),
    };
    for (const [state, take] of Object.entries(others)) {
        if (isStateWanted(state)) {
            await take();
        }
    }
    ok(taken.length > 0, `${taken.length} pictures`);
    is(await sheets(browser, taken), taken.length, 'each is on a sheet');
});

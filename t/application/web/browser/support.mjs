// SPDX-License-Identifier: Apache-2.0
//
// Support for tests in Chromium: a browser with a person's page, assertions as TAP, and the
// conditions that fail every test (content security policy, console, accessibility).
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(new URL('../../../../modules/application/package.json',
    import.meta.url));
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const url = process.env.LIMS_URL;
const password = process.env.LIMS_PASSWORD;
export const pictures = process.env.LIMS_SCREENSHOTS;
mkdirSync(pictures, { recursive: true });

// A run of the whole suite keeps no pictures: they would be a tenth of its time.
const keepsPictures = process.env.LIMS_TEST_PICTURES !== '0';
const keep = async (page, name) => keepsPictures
    && page.screenshot({ path: `${pictures}/${name}.png` });

let count = 0;
let failures = 0;
const desks = [];

export function ok(condition, name, ...details) {
    count++;
    if (!condition) {
        failures++;
    }
    console.log(`${condition ? 'ok' : 'not ok'} ${count} - ${name}`);
    if (!condition) {
        details.forEach((detail) => console.log(`# ${String(detail).replaceAll('\n', '\n# ')}`));
    }
}

export const is = (got, expected, name) =>
    ok(Object.is(got, expected), name, `got ${JSON.stringify(got)}`,
        `expected ${JSON.stringify(expected)}`);

// Asks the test around the browser for what only that can do (LIMS::Test::Browser).
let answers;
export async function act(name, ...given) {
    answers ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    console.log(`! ${name} ${JSON.stringify(given)}`);
    return JSON.parse((await answers.next()).value);
}

// Until the page has drawn what was done to it; one that is left, or not seen, draws nothing.
// A letter is handled 35 ms after it came, by a timer of the page that runs before this one.
export const drawn = (page) => page.evaluate(() => new Promise((done) => {
    setTimeout(() => {
        setTimeout(done, 200);
        requestAnimationFrame(() => setTimeout(done));
    }, 40);
})).catch(() => null);

// Waits until it holds. What cannot be looked at, such as a text that is not drawn yet, does not.
export async function until(page, condition, name, argument) {
    const end = Date.now() + 15000;
    let held = false;
    for (let left = 15000; !held && left > 0 && !page.isClosed(); left = end - Date.now()) {
        held = await page.waitForFunction(condition, argument, { timeout: left })
            .then(() => true, () => drawn(page).then(() => false));
    }
    ok(held, name, held ? '' : `at ${page.url()}`);
}

// A browser context of its own: another desk. Chromium writes a line into the console for
// every refusal; which ones the test means, it says by `expected`.
export async function desk(browser, options = {}) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true,
        viewport: { width: 1366, height: 768 }, colorScheme: 'light', ...options });
    const seen = { errors: [], expected: [/status of 401/] };

    await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => console.error(
            `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    });
    context.on('page', (page) => {
        page.on('console', (message) => {
            if (message.type() === 'error') {
                seen.errors.push(`${message.text()} ${message.location().url}`);
            }
        });
        page.on('pageerror', (error) => seen.errors.push(error.stack));
    });
    desks.push(seen);
    return { context, seen, page: await context.newPage() };
}

export async function signIn(page, email, secret = password) {
    await page.fill('#email', email);
    await page.fill('#password', secret);
    await page.keyboard.press('Enter');
}

export const open = (page, path = '/app/') => page.goto(url + path);

// Holds back such requests; answers what lets them go, for good.
export async function hold(page, pattern) {
    let release;
    const released = new Promise((resolve) => {
        release = resolve;
    });
    const held = [];
    await page.route(pattern, (route) => {
        held.push(released.then(() => route.continue()));
        return held.at(-1);
    });
    return async () => {
        release();
        await Promise.all(held);
        await page.unroute(pattern);
    };
}

// Asks the service as the person who is signed in on the page.
export const ask = (page, method, path, body) => page.evaluate(async ([method, path, body]) => {
    const headers = { 'X-Lims-Request': '1', 'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID() };
    const { id } = await (await fetch('/app/api/session', { headers })).json();
    const answer = await fetch(`/app/api${path}`, { method, body: body && JSON.stringify(body),
        headers: { ...headers, 'X-Lims-Session': String(id) } });
    const json = await answer.json();
    if (!answer.ok) {
        throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    }
    return json;
}, [method, path, body]);

// Keys as a person presses them: slower than a scanner, and each when the one before has done
// what it does, also where the page holds a letter back for a moment.
export async function press(page, ...keys) {
    for (const key of keys) {
        await page.keyboard.press(key);
        await page.waitForTimeout(40);
        await drawn(page);
    }
}

// Acts again when the service has done it, while the page reads again what it has changed.
export async function twice(page, path, act) {
    await page.route(path, () => undefined);
    const again = page.waitForRequest((request) => request.url().includes(path.replace(/\*/g, ''))
        && !request.headers()['x-lims-background']);
    await act();
    await again;
    await act();
    await page.unroute(path);
}

// A barcode reader, by keys that also do what the browser does of itself, such as choosing in
// a list. Their times are told to the browser, and no timer of the keyboard ends the scan early.
export async function readBarcode(page, text, suffix = 'Enter') {
    const keyboard = await page.context().newCDPSession(page);
    const begin = Date.now() / 1000;
    await page.evaluate(() => {
        window.heldTimeout = window.setTimeout;
        window.setTimeout = (call, after, ...rest) =>
            window.heldTimeout(call, after > 0 && after < 40 ? 5000 : after, ...rest);
    });
    await Promise.all([...text, suffix].flatMap((key, i) => {
        const written = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
        const one = { key, code: key, timestamp: begin + i * 0.005,
            windowsVirtualKeyCode: { Enter: 13, Tab: 9 }[key] ?? key.charCodeAt(0) };
        return [
            keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', text: written, ...one }),
            keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...one }),
        ];
    }));
    await page.evaluate(() => {
        window.setTimeout = window.heldTimeout;
    });
    await keyboard.detach();
}

// A barcode reader at the keyboard: the keys come faster than a driver of browsers sends
// them, so they are made in the page, 5 ms apart by their own clock, however slow the machine.
export const scan = (page, text, suffix = 'Enter') => page.evaluate((keys) => {
    const begin = performance.now();
    for (const [i, key] of keys.entries()) {
        const target = document.activeElement ?? document.body;
        const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
        Object.defineProperty(event, 'timeStamp', { value: begin + 5 * i });
        const free = target.dispatchEvent(event);
        if (free && key.length === 1 && 'setRangeText' in target) {
            target.setRangeText(key, target.value.length, target.value.length, 'end');
            target.dispatchEvent(new Event('input', { bubbles: true }));
        }
    }
}, [...text, suffix]);

// Returns the violations that axe-core finds, by all its rules or by these.
async function findings(page, rules) {
    return page.evaluate(async ([source, only]) => {
        if (!window.axe) {
            (0, eval)(source);
        }
        const { violations } = await window.axe.run(document,
            { resultTypes: ['violations'], ...only && { runOnly: { type: 'rule', values: only } } });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) =>
            `${node.target.join(' ')} ${node.failureSummary}`).join('; ')}`);
    }, [axe, rules]);
}

// A theme changes colours only, and a narrow window only where things are: what else there
// is to find, such as names and roles, is the same in all.
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const OF_PLACES = ['color-contrast', 'scrollable-region-focusable'];

const themes = {
    light: { media: { colorScheme: 'light', forcedColors: 'none' } },
    dark: { media: { colorScheme: 'dark', forcedColors: 'none' }, rules: OF_COLOURS },
    forced: { media: { colorScheme: 'light', forcedColors: 'active' }, rules: OF_COLOURS },
};

// In every theme and on a tablet nothing for axe-core to find; calls `seen(theme)` at each.
export async function accessible(page, name, seen = () => null) {
    for (const [theme, { media, rules }] of Object.entries(themes)) {
        await page.emulateMedia(media);
        await seen(theme);
        const found = await findings(page, rules);
        ok(found.length === 0, `${name}, ${theme}: nothing for axe-core to find`, ...found);
    }
    await page.emulateMedia(themes.light.media);
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1024, height: 768 });
    await seen('tablet');
    const found = await findings(page, OF_PLACES);
    ok(found.length === 0, `${name}, 1024 wide: nothing for axe-core to find`, ...found);
    await page.setViewportSize(size);
}

// No cell of the column is cut on a tablet.
export async function wholeOnTablet(page, heading) {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1024, height: 768 });
    const cells = await page.evaluate((name) => {
        const list = [...document.querySelectorAll('main table')]
            .find((one) => one.checkVisibility());
        const heads = [...list.tHead.rows[0].cells];
        const at = heads.findIndex(({ textContent }) => textContent.trim() === name);
        return [...list.tBodies].flatMap(({ rows }) => [...rows])
            .filter(({ cells }) => cells.length === heads.length).map(({ cells }) => cells[at])
            .map(({ textContent, scrollWidth, clientWidth }) =>
                ({ textContent, cut: clientWidth === 0 || scrollWidth > clientWidth }));
    }, heading);
    const cut = cells.filter((one) => one.cut).map(({ textContent }) => textContent);
    ok(cells.some(({ textContent }) => textContent) && cut.length === 0,
        `1024 wide, no cell of the column ${heading} is cut`, ...new Set(cut));
    await page.setViewportSize(size);
}

// A screen as it is seen: accessible, and a picture of it where they are kept.
export const looks = (page, name) =>
    accessible(page, name, (theme) => keep(page, `${name}-${theme}`));

export function quiet({ seen }, name = 'the browser') {
    const meant = (line) => seen.expected.some((pattern) => pattern.test(line));
    const errors = seen.errors.filter((line) => !meant(line));
    ok(errors.length === 0, `${name} has nothing to complain of`, ...errors);
}

export async function run(test) {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell',
        args: process.getuid() === 0 ? ['--no-sandbox'] : [] });
    try {
        await test(browser);
    } catch (error) {
        ok(false, 'the test ran to its end', error.stack);
        desks.forEach(({ errors }, i) => errors.forEach((line) => console.log(`# desk ${i}: ${line}`)));
        const pages = browser.contexts().flatMap((context) => context.pages());
        for (const [i, page] of pages.entries()) {
            console.log(`# page ${i} is at ${page.url()}`);
            await page.screenshot({ path: `${pictures}/failure-${i}.png` });
        }
    } finally {
        await browser.close();
        process.stdin.destroy();
    }
    console.log(`1..${count}`);
    process.exitCode = failures ? 1 : 0;
}

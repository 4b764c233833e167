// SPDX-License-Identifier: Apache-2.0
//
// Measures the pages in Chromium, and prints goal and figure of each.
import { ask, desk, ok, open, run, signIn } from '../../t/application/web/browser/support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const lena = 'lena.fischer@cedarbasin.example';
const samples = Number(process.env.BENCH_SAMPLES ?? 2000);
const keys = Number(process.env.BENCH_KEYS ?? 200);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const figures = [];

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, part) => sorted(numbers)[Math.floor((numbers.length - 1) * part)];
const numbers = (count) => Array.from({ length: count }, (_, i) => i);

function figure(what, value, goal, unit) {
    figures.push([what, `${Math.round(value)} ${unit}`, `${goal} ${unit} at most`]);
    ok(value <= goal, `${what}: ${Math.round(value)} ${unit}, at most ${goal}`);
}

function table() {
    const width = Math.max(...figures.map(([what]) => what.length));
    for (const [what, value, goal] of [['', 'measured', 'goal'], ...figures]) {
        console.log(`# ${what.padEnd(width)}  ${value.padStart(10)}  ${goal.padStart(16)}`);
    }
}

// From the key that signs in to the first list, of samples, with its cursor: milliseconds.
async function firstList(page) {
    await open(page);
    await page.waitForSelector('#email');
    await page.fill('#email', ben);
    await page.fill('#password', process.env.LIMS_PASSWORD);
    const begun = Date.now();
    await page.keyboard.press('Enter');
    await page.waitForSelector('tr.cursor');
    return Date.now() - begun;
}

async function slowed(browser) {
    const here = await desk(browser);
    const line = await here.context.newCDPSession(here.page);
    await line.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    return here;
}

async function firstLists(browser) {
    const [cold, warm] = [[], []];
    for (let round = 0; round < rounds; round++) {
        const { page, context } = await slowed(browser);
        cold.push(await firstList(page));
        await context.clearCookies();
        warm.push(await firstList(page));
        await context.close();
    }
    figure('first list after signing in, 4 x slowed, cold', quantile(cold, 0.5), 1500, 'ms');
    figure('first list after signing in, 4 x slowed, warm', quantile(warm, 0.5), 700, 'ms');
}

// Bytes of script that are loaded up to the first list.
async function script(browser) {
    const { page, context } = await desk(browser);
    const own = [];
    const others = [];
    page.on('response', (response) => {
        const to = new URL(response.url()).origin === new URL(process.env.LIMS_URL).origin;
        (to ? own : others).push(response);
    });
    await firstList(page);
    const sizes = await Promise.all(own
        .filter((response) => response.request().resourceType() === 'script')
        .map(async (response) => (await response.request().sizes()).responseBodySize));
    figure('script to the first list, compressed', sizes.reduce((a, b) => a + b, 0) / 1000, 250,
        'kB');
    figure('requests to other servers', others.length, 0, '');
    await context.close();
}

// A method of eight analytes, and samples with all of them, received.
async function fill(page) {
    const analytes = [];
    for (const n of numbers(8)) {
        analytes.push(await ask(page, 'POST', '/test-definitions', { code: `BENCH${n}`,
            name: `Analyte ${n}`, method: 'Bench', unit: 'mg/L', resultType: 'numeric',
            decimals: 2, specificationHigh: 10 }));
    }
    const [{ data: [client] }, { data: [material] }] = [await ask(page, 'GET', '/clients?limit=1'),
        await ask(page, 'GET', '/material-types?limit=1')];
    for (let left = samples; left > 0; left -= 200) {
        const made = await ask(page, 'POST', '/orders', { clientId: client.id,
            samples: numbers(Math.min(200, left)).map(() => ({ materialTypeId: material.id,
                priority: 'routine', testDefinitionIds: analytes.map(({ id }) => id),
                collectedAt: new Date(Date.now() - 3600_000).toISOString() })) });
        await ask(page, 'POST', '/samples/receive', { sampleIds: made.samples.map(({ id }) => id) });
    }
}

// Milliseconds from each key to the frame that shows it.
async function keysToPaint(page) {
    await page.evaluate(() => {
        window.times = [];
        window.addEventListener('keydown', (event) => requestAnimationFrame(() => setTimeout(() =>
            window.times.push(performance.now() - event.timeStamp))), { capture: true });
    });
    for (const n of numbers(keys)) {
        await page.keyboard.press(['7', '.', '1', 'Enter'][n % 4]);
        await page.waitForTimeout(60);
    }
    return page.evaluate(() => window.times);
}

// How many cells the page asks about in one request (grid/judging.ts).
const LARGEST = 200;

// Milliseconds from the paste to the service's last verdict, by the page's own clock.
async function paste(page, rows, columns) {
    const line = Array.from({ length: columns }, (_, i) => `${i}.25`).join('\t');
    await page.evaluate((text) => navigator.clipboard.writeText(text),
        Array.from({ length: rows }, () => line).join('\n'));
    await page.keyboard.press('Control+Home');
    await page.evaluate(() => {
        performance.clearResourceTimings();
        window.addEventListener('paste', (event) => { window.pasted = event.timeStamp; },
            { capture: true, once: true });
        window.verdicts = () => performance.getEntriesByType('resource')
            .filter(({ name }) => name.endsWith('/sample-tests/judge'))
            .map(({ responseEnd }) => responseEnd);
    });
    await page.keyboard.press('Control+v');
    await page.waitForFunction((requests) => window.verdicts().length >= requests,
        Math.ceil(rows * columns / LARGEST));
    return page.evaluate(() => Math.max(...window.verdicts()) - window.pasted);
}

async function grid(browser) {
    const { page, context } = await desk(browser, {
        permissions: ['clipboard-read', 'clipboard-write'] });
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, lena);
    await page.waitForSelector('.rail');
    await fill(page);
    await open(page, '/app/bench/method/Bench');
    await page.waitForSelector('td.editing input', { timeout: 120_000 });
    const rows = Math.min(200, samples);
    figure(`paste of ${rows} x 6 until every cell is judged`, await paste(page, rows, 6), 1000, 'ms');
    const times = await keysToPaint(page);
    figure(`grid of ${samples} x 8, key to paint, p95`, quantile(times, 0.95), 50, 'ms');
    await context.close();
}

run(async (browser) => {
    await script(browser);
    await firstLists(browser);
    await grid(browser);
    table();
});

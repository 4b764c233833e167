// SPDX-License-Identifier: Apache-2.0
//
// Receiving the bottles of an order: labels with every suffix, a wrong check character, a
// bottle twice, undoing, a deviation.
import { desk, is, looks, ok, open, press, quiet, run, scan, signIn, until } from './support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const lines = (page) => page.locator('.scans li .id').count();
const line = (page, n = 1) => page.textContent(`.scans li:nth-child(${n})`);
const answered = (page, n, name) => until(page, (expected) => {
    const all = [...document.querySelectorAll('.scans li .id')];
    return all.length === expected && !document.querySelector('.scans')
        .textContent.includes('Sending');
}, name, n);

// An order of as many samples, as a program would register it.
const order = (page, samples) => page.evaluate(async (count) => {
    const session = await (await fetch('/app/api/session')).json();
    const ask = async (path, body) => (await fetch(`/app/api${path}`, {
        headers: { 'X-Lims-Session': session.id, 'X-Lims-Request': '1',
            'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })).json();
    const { data: [client] } = await ask('/clients');
    const { data: [material] } = await ask('/material-types');
    return ask('/orders', { clientId: client.id, samples: Array.from({ length: count }, (_, i) => ({
        materialTypeId: material.id, plantLocation: `Tap ${i + 1}`,
    })) });
}, samples);

async function receiving(page) {
    const { samples, order: { orderNumber } } = await order(page, 12);
    const ids = samples.map(({ trackingId }) => trackingId);
    await open(page, '/app/receive');
    await page.waitForSelector('#scan-next');
    await page.fill('[inputmode=decimal]', '4.1');
    await looks(page, 'receive-empty');
    await page.focus('#scan-next');
    const suffixes = ['Enter', 'Tab', ','];
    for (const [i, id] of ids.slice(0, 9).entries()) {
        await scan(page, id, suffixes[i % 3]);
    }
    await answered(page, 9, 'nine labels are nine lines, whatever their suffix');
    await until(page, () => /9 of 12/.test(document.querySelector('.beside .count')?.textContent),
        'the order of the first bottle is counted');
    ok((await page.textContent('.head')).includes(orderNumber), '... and named');
    is(await page.locator('#scan-next').inputValue(), '', 'the field is empty for the next one');
    is(await page.evaluate(() => document.activeElement.id), 'scan-next', '... and has the focus');
    ok(/missing: Tap 10, Tap 11, Tap 12/.test(await page.textContent('.beside .count')),
        'what is missing is named');

    const wrong = ids[9].slice(0, -1) + (ids[9].endsWith('7') ? '8' : '7');
    await scan(page, wrong);
    await answered(page, 10, 'a wrong check character is a line');
    ok(/Refused.*Check character wrong/.test(await line(page)), '... that says so', await line(page));
    await scan(page, ids[0]);
    await answered(page, 11, 'a bottle is scanned again');
    ok(/Already.*by Ben Walsh/.test(await line(page)), '... and it says by whom', await line(page));
    await page.locator('[inputmode=decimal]').focus();
    await scan(page, ids[9]);
    await answered(page, 12, 'a scan in another field is a scan');
    is(await page.inputValue('[inputmode=decimal]'), '4.1', '... and fills nothing');
    ok(/^Received/.test(await line(page)), '... but receives', await line(page));
    await looks(page, 'receive');

    await page.getByRole('button', { name: /^Undo, \d+ s left/ }).click();
    await until(page, () => /^Undone/.test(document.querySelector('.scans li').textContent),
        'the last scan is undone');
    await until(page, () => /9 of 12/.test(document.querySelector('.beside .count').textContent),
        '... and its bottle missing again');
    for (const id of ids.slice(9)) {
        await scan(page, id);
    }
    await answered(page, 15, 'the rest is scanned');
    await until(page, () => /12 of 12 received, all are here/.test(
        document.querySelector('.beside .count').textContent), 'all are here');
    await page.locator('.scans li').first().getByRole('button', { name: 'Deviation' }).click();
    await page.fill('#reason', 'Cap cracked, not leaking');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Cap cracked, not leaking' }).waitFor();
    await page.locator('.scans li a').first().click();
    await page.waitForSelector('.facts');
    ok(/4\.1 °C, Cap cracked, not leaking/.test(await page.textContent('.facts')),
        'temperature and deviation are recorded', await page.textContent('.facts'));
    await page.goBack();
    await page.waitForSelector('#scan-next');
    is(await lines(page), 15, 'the scans are still there');
    await page.getByRole('button', { name: 'End', exact: true }).click();
    is(await lines(page), 0, 'ending begins anew');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ben);
    await page.waitForSelector('.rail a[href$="/receive"]');
    await receiving(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// From the approval to the certificate.
import { ask, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const rows = (page) => page.locator('table[role=grid] tbody tr').count();

async function sign(page) {
    await page.fill('#sign', process.env.LIMS_PASSWORD);
    await page.keyboard.press('Enter');
}

const saying = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), `it says: ${text}`, text);

async function deciding(page) {
    await open(page, '/app/approvals');
    await signIn(page, lena);
    await page.waitForSelector('tr.cursor');
    const mine = await rows(page);
    ok(mine > 4, 'the inbox has what she can decide');
    await looks(page, 'approvals');
    const name = await page.textContent('tr.cursor th');
    await press(page, 'Enter');
    await page.waitForSelector('.certificate tbody tr');
    ok((await page.textContent('.certificate')).includes(name), 'what the certificate would say');
    ok(/Draft/.test(await page.textContent('.certificate')), '... as a draft');
    ok(/Quality assurance approval/.test(await page.textContent('.peek')), '... beside its steps');
    await looks(page, 'approval');
    await press(page, 'V');
    await page.waitForSelector('#sign');
    is(await page.evaluate(() => document.activeElement?.id), 'sign', 'the cursor is in the password');
    ok(await page.locator('[role=dialog] tbody tr').count() > 0, '... beside what is signed');
    await page.fill('#text', 'As discussed');
    await sign(page);
    await saying(page, '1 step approved');
    const { data } = await ask(page, 'GET', '/signatures?table=approval&limit=200');
    ok(data.some(({ meaning, act, stands }) => meaning === 'approved' && stands
        && act?.comment === 'As discussed'), '... and signed, with the comment');
    await open(page, '/app/approvals?all=1');
    await page.waitForSelector('tr.cursor');
    ok(await rows(page) > mine - 1, 'all that wait are shown when asked for');
}

async function many(page) {
    await open(page, '/app/approvals');
    await page.waitForSelector('tr.cursor');
    const before = await rows(page);
    await press(page, 'j', 'x', 'j', 'x', 'b');
    await page.waitForSelector('#sign');
    await page.fill('#text', 'The blank is missing');
    await looks(page, 'approvals-reject');
    await sign(page);
    await saying(page, '2 steps rejected');
    await until(page, (count) => document.querySelectorAll('table[role=grid] tbody tr').length
        === count, '... and they leave the inbox', before - 2);
}

async function certificates(page) {
    await open(page, '/app/certificates');
    await page.waitForSelector('tr.cursor');
    const list = await page.textContent('table[role=grid] tbody');
    ok(/COA-26-0000001.*CB-26-/.test(list) && /Superseded/.test(list),
        'certificates with their samples', list);
    await looks(page, 'certificates');
    await page.locator('tr', { hasText: 'Superseded' }).first().dblclick();
    await page.waitForSelector('.certificate tbody tr');
    ok(/address of the laboratory is missing/.test(await page.textContent('.peek')),
        'what a reader will miss');
    await page.locator('.peek').getByRole('link', { name: /version 2$/ }).click();
    await until(page, () => /, version 2/.test(document.querySelector('.head')?.textContent),
        'its other version');
    await looks(page, 'certificate');
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.waitForSelector('.pane table s, .pane .nothing');
    await looks(page, 'certificate-changes');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    await deciding(page);
    await many(page);
    await certificates(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Control charts: what is chosen, what breaks a rule, a point that is left out.
import { desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const officer = 'grace.okafor@cedarbasin.example';
const cursor = (page) => page.textContent('tr.cursor th');

async function chart(page) {
    await open(page, '/app/qc-series');
    await page.waitForSelector('.chart .rule');
    const runs = await page.locator('.chart .rule').allTextContents();
    is(runs.join(' '), '1-3s 4-1s', 'the rules that are broken are named above their points');
    ok(/1-3s at run 25, 4-1s at runs 32 to 35/.test(await page.textContent('figcaption')),
        '... and said in words');
    is(await page.locator('.chart path.broken').count(), 5, '... with a shape at each point');
    ok(/99\.07/.test(await page.textContent('.chart')), 'the mean stands at its line');
    ok(/EPA 200\.8, 41 runs/.test(await page.textContent('figcaption')), 'what is charted');
    await looks(page, 'control-chart');
    await press(page, 'j', 'j');
    is(await page.textContent('tr.cursor td'), '39', 'the keyboard goes from point to point');
    is(await page.locator('.chart .here').count(), 1, '... which the drawing shows');
}

async function leavingOut(page) {
    await page.click('tbody tr:nth-child(17) td');
    await press(page, 'o');
    await page.waitForSelector('#reason');
    ok(/Leave out run 25/.test(await page.textContent('[role=dialog] h2')), 'the act is named');
    await page.keyboard.insertText('The pipette was broken');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') !== null
        && !/1-3s/.test(document.querySelector('figcaption').textContent),
    'a point that is left out breaks no rule, and is still seen');
    await press(page, 'o');
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('It was another pipette');
    await press(page, 'Enter');
    await until(page, () => document.querySelector('.chart .out') === null,
        'it is taken in again');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, officer);
    await page.waitForSelector('.rail a[href$="/qc-series"]');

    await chart(page);
    await leavingOut(page);
    quiet(here);
});

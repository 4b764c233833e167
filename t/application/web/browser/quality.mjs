// SPDX-License-Identifier: Apache-2.0
//
// The audit trail.
import { desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const grace = 'grace.okafor@cedarbasin.example';

// Goes to another page without loading the application again.
const go = (page, place) => page.locator('.rail').getByRole('link', { name: place, exact: true })
    .click();

async function auditTrail(page) {
    await go(page, 'Audit');
    await page.waitForSelector('table[role=grid] tr.cursor');
    const heads = await page.locator('thead th').allTextContents();
    is(heads.map((head) => head.trim()).join('|'),
        'Time|Who|By|Record|Change, was → is|Reason|Signed', 'a change says who, when and why');
    await press(page, 'f');
    const adding = page.getByRole('dialog');
    await adding.getByLabel('Filters').selectOption('By');
    await adding.getByLabel('By').selectOption('instrument file');
    await adding.getByRole('button').click();
    await until(page, () => [...document.querySelectorAll('tbody tr')].length > 0
        && [...document.querySelectorAll('tbody td.quiet')]
            .every((cell) => cell.textContent === 'instrument file'), 'only those of files');
    ok(page.url().endsWith('/app/audit?surface=instrument+file'), 'the filter is in the address',
        page.url());
    ok((await page.getAttribute('a[download]', 'href')).includes('surface=instrument+file'),
        'the export is as filtered');
    const change = page.locator('tbody tr').filter({ hasText: 'entered by' }).first();
    ok(/[A-Z]\w+ of CB-\d\d-\d{7}-\w.*entered by none → [A-Z]\w+ [A-Z]\w+/.test(
        await change.textContent()), 'a record and a person have their names',
    await change.textContent());
    await change.click();
    await press(page, 'Space');
    await page.waitForSelector('.peek .same li');
    is(await page.locator('.peek .same [aria-current]').count(), 1,
        'beside it stands everything of the same request');
    await looks(page, 'audit');
    await page.locator('.peek').getByRole('link', { name: 'this record' }).click();
    await until(page, () => /Record: [A-Z]\w+ of CB-/.test(
        document.querySelector('.chip')?.textContent), 'the trail of one record, by its name');
    await page.getByRole('button', { name: 'Check the chain' }).click();
    await until(page, () => /fits|key/.test(document.querySelector('.statusline, .said')?.textContent),
        'the chain is checked');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, grace);
    await page.waitForSelector('.rail');
    await auditTrail(page);
    quiet(here);
});

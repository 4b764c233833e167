// SPDX-License-Identifier: Apache-2.0
//
// Lots with their recall, the audit trail.
import { desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const priya = 'priya.nair@cedarbasin.example';
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

async function lots(page) {
    await go(page, 'Lots');
    await page.waitForSelector('tr.cursor');
    ok(/STD-ICPMS-25.*ended/.test(await page.locator('tr', { hasText: 'STD-ICPMS-25' })
        .textContent()), 'a lot that has ended says so');
    await page.getByRole('button', { name: 'Media', exact: true }).click();
    await until(page, () => document.querySelectorAll('tbody tr').length > 3
        && /PCA-A/.test(document.querySelector('tbody').textContent), 'the media');
    is(await page.locator('.rail [aria-current]').textContent(), 'Lots', '... are lots, too');
    const failed = page.locator('tbody tr').filter({ hasText: 'PCA-B' });
    ok(/failed.*passed.*failed/.test(await failed.textContent()), 'growth, sterility, and both');
    await looks(page, 'lots');
    await failed.click();
    await press(page, 'Enter');
    await page.waitForSelector('h1.id:has-text("PCA-B")');
    const sample = await page.locator('table[aria-label="Tests made with this lot"] a').first()
        .textContent();
    await looks(page, 'lot');
    await page.getByRole('button', { name: 'Quarantine PCA-B' }).click();
    const dialog = page.getByRole('dialog');
    ok((await dialog.textContent()).includes(sample), 'what was made with it is said first');
    await looks(page, 'lot-quarantine');
    await dialog.getByLabel('Reason').fill('Recovery below 50 %');
    await press(page, 'Enter');
    await until(page, () => /PCA-B is quarantined/.test(document.querySelector('.said')?.textContent)
        && /Recovery below 50 %/.test(document.querySelector('.facts')?.textContent),
    'a reason quarantines it, and stands with it');
    await page.getByRole('button', { name: 'Release PCA-B' }).waitFor();
}

// One person's day at a desk of their own.
async function dayOf(browser, email, work) {
    const here = await desk(browser);
    const { page } = here;

    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, email);
    await page.waitForSelector('.rail');
    await work(page);
    quiet(here, email);
}

run(async (browser) => {
    await dayOf(browser, priya, lots);
    await dayOf(browser, grace, auditTrail);
});

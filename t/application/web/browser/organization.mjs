// SPDX-License-Identifier: Apache-2.0
//
// The organization: policies as sentences with what they come to today, what the people could
// not meet is refused with its remedies, somebody else's change, and the letterhead.
import { readFileSync } from 'node:fs';

import { ask, is, looks, ok, open, until } from './support.mjs';

const field = (page, label) => page.getByLabel(label, { exact: true });
const part = (page, title) => page.locator('.field').filter({ has: page.getByLabel(title,
    { exact: true }) });
const save = (page, title) => page.getByRole('button', { name: title }).click();
const said = (page, pattern, name) => until(page, (text) =>
    new RegExp(text).test(document.querySelector('.said')?.textContent), name, pattern);

async function policies(page) {
    await page.click('.rail a[href$="/organization"]');
    await field(page, 'Four eyes').waitFor();
    await until(page, () => /The strict way: [\d,]+ results/.test(document.querySelector('.fields')
        .textContent), 'each policy with what it would come to today');
    await until(page, () => /Registered\d/.test(document.querySelector('.beside')?.textContent),
        'the samples of the month');
    await field(page, 'Four eyes').selectOption('refused');
    ok(/New: \d+ results/.test(await part(page, 'Four eyes').textContent()),
        'the effect is shown before it is made');
    await looks(page, 'organization');
    await field(page, 'Sessions, minutes').fill('4');
    await page.fill('input[name=reason]', 'An auditor asked for four eyes');
    await save(page, 'Change the policies');
    await until(page, () => /5/.test(document.querySelector('.fields .refusal')?.textContent),
        'what is out of bounds is said at its field');
    await field(page, 'Sessions, minutes').fill('20');
    await save(page, 'Change the policies');
    await said(page, 'holds from now on', 'policies are changed with a reason');
    await until(page, () => document.activeElement?.textContent === 'Change the policies',
        'the keyboard stands where one goes on after saving');
    await until(page, () => /Today: \d+ results/.test(document.querySelector('.fields')
        ?.textContent), 'changed policies are in force');
}

async function approval(page) {
    await page.getByRole('link', { name: 'Approval', exact: true }).click();
    await field(page, 'Who approves').waitFor();
    await field(page, 'Who approves').selectOption('false');
    const steps = page.locator('fieldset').filter({ hasText: 'Approval steps' });
    const add = steps.getByRole('button', { name: 'Add to approval steps' });
    const before = await steps.getByLabel('Step', { exact: true }).count();
    await add.click();
    await steps.getByLabel('Step', { exact: true }).nth(before).fill('Client\u2019s review');
    await steps.getByLabel('Role that decides it').nth(before).selectOption('client_viewer');
    await page.fill('input[name=reason]', 'The client reads along');
    await save(page, 'Change the approval');
    await until(page, () => /role client_viewer/.test(
        document.querySelector('.fields .refusal')?.textContent),
    'a role that decides nothing is refused at the steps');
    await steps.getByLabel('Role that decides it').nth(before).selectOption('qa_officer');
    await add.click();
    await steps.getByLabel('Step', { exact: true }).nth(before + 1).fill('Release');
    await steps.getByLabel('Role that decides it').nth(before + 1).selectOption('qa_officer');
    await save(page, 'Change the approval');
    await until(page, () => /policy_unsatisfiable/.test(document.querySelector('.filling')
        .textContent), 'what the people could not meet is refused');
    ok(/would be enough: choose \u201cWhoever verified in the sample may decide any step.\u201d at Who approves/
        .test(await page.textContent('.filling')), 'the refusal names remedies as the page calls them');
    await looks(page, 'organization-refused');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: 'Letterhead' }).click();
}

async function letterhead(page) {
    const markup = `<img src=x onerror=alert(1)> ${'ISO/IEC17025'.repeat(20)}`;
    await field(page, 'Accreditation').fill(markup);
    await ask(page, 'PATCH', '/organization', { address: '1 Mill Road', reason: 'moved' });
    await page.fill('input[name=reason]', 'A new certificate');
    await save(page, 'Change the letterhead');
    await page.getByRole('button', { name: 'Save mine beside it' }).waitFor();
    await looks(page, 'organization-changed');
    await page.locator('.said').getByRole('button').click();
    await page.getByRole('button', { name: 'Save mine beside it' }).click();
    await said(page, 'holds from now on', 'somebody else changed another member: both stand');
    await until(page, (text) => document.querySelectorAll('.filling textarea')[1]?.value === text,
        'markup is text', markup);
}

// Only what a certificate says, and in which order, is declared; the usual where nothing is.
async function layout(page) {
    await open(page, '/app/organization/letterhead');
    await field(page, 'Title').fill('Test report');
    await field(page, 'Paper').selectOption('letter');
    await page.fill('input[name=reason]', 'as the clients ask');
    await save(page, 'Change the letterhead');
    await said(page, 'holds from now on', 'the layout of certificates is changed');
    const { certificateLayout: made } = await ask(page, 'GET', '/organization');
    is(JSON.stringify([made.title, made.paper, made.columns, made.statements]),
        '["Test report","letter",null,null]', 'what was left out of the layout stays as usual');
    await looks(page, 'organization-layout');
    await field(page, 'Title').fill('');
    await page.fill('input[name=reason]', 'not after all');
    const changed = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await save(page, 'Change the letterhead');
    is((await changed).status(), 200, 'an empty title is taken');
    is((await ask(page, 'GET', '/organization')).certificateLayout.title, null,
        'an empty title is the usual one');
}

// Days and times are written as the laboratory writes them, from the next page on.
async function locale(page) {
    await open(page, '/app/organization/letterhead');
    await field(page, 'Days and times written as in (such as en-GB)').fill('German');
    await page.fill('input[name=reason]', 'as the clients write them');
    await save(page, 'Change the letterhead');
    await until(page, () => document.querySelector('.fields .refusal') !== null,
        'what is no language tag is refused at its field');
    await field(page, 'Days and times written as in (such as en-GB)').fill('en-GB');
    await save(page, 'Change the letterhead');
    await said(page, 'holds from now on', 'the locale of the laboratory is changed');
    await open(page, '/app/samples');
    await page.locator('td time:visible').first().waitFor();
    ok(/^\d{1,2} [A-Z][a-z]{2,3}/.test(await page.locator('td time:visible').first().textContent()),
        'days and times are written by it');
}

const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E'
    + 'rkJggg==', 'base64');

// The layout as it is typed, as a PDF; and the logo that is printed.
async function printed(page) {
    await open(page, '/app/organization/letterhead');
    await field(page, 'Title').fill('Test report, not saved');
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.getByRole('button', { name: 'Preview as PDF' }).click()]);
    is(file.suggestedFilename(), 'layout-preview.pdf', 'a preview of the layout is saved as a file');
    ok(readFileSync(await file.path()).toString('latin1').startsWith('%PDF-'), 'the preview is a PDF');
    await field(page, 'Title').fill('');
    const logo = (bytes) => page.setInputFiles('input[type=file]', { name: 'logo.png',
        mimeType: 'image/png', buffer: bytes });
    await logo(Buffer.from('GIF89a'));
    await page.fill('#reason', 'a new name');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#refusal');
    ok(/it is not a PNG/.test(await page.textContent('#refusal')), 'what is no picture is refused');
    await page.keyboard.press('Escape');
    await logo(picture);
    await page.fill('#reason', 'a new name');
    await page.keyboard.press('Enter');
    await said(page, 'have this logo', 'a logo is uploaded');
    await until(page, () => document.querySelector('img.logo')?.naturalWidth === 1, 'the logo is seen on the page');
    await looks(page, 'organization-logo');
    await page.getByRole('button', { name: 'Remove the logo' }).click();
    await page.fill('#reason', 'not after all');
    await page.keyboard.press('Enter');
    await said(page, 'have no logo', 'the logo is removed by a reason');
    await until(page, () => !document.querySelector('img.logo'), 'a removed logo is not seen any more');
}

export async function organization({ page }) {
    await policies(page);
    await approval(page);
    await letterhead(page);
    await layout(page);
    await locale(page);
    await printed(page);
}

// Somebody else changes the same, and signs it.
async function changedMeanwhile(page, address, password) {
    const { id } = await ask(page, 'GET', '/organization');
    const { data: [{ contentHash }] } = await ask(page, 'GET',
        `/signed-contents?table=organization&recordId=${id}`);
    await ask(page, 'PATCH', '/organization', { address, reason: 'moved',
        signature: { password, contentHash } });
}

// Where acts are signed, a change of policies is, too.
export async function signsOrganization({ page }, secret) {
    await open(page, '/app/organization/letterhead');
    await field(page, 'Address').fill('7 Dock Street');
    await page.fill('input[name=reason]', 'moved');
    await page.fill('input[name=password]', 'wrong password');
    await save(page, 'Change the letterhead');
    await until(page, () => /signature_invalid/.test(document.querySelector('.filling')
        ?.textContent), 'a wrong password signs nothing');
    await looks(page, 'organization-signed');
    await page.fill('input[name=password]', secret);
    await changedMeanwhile(page, '1 Mill Road', secret);
    await save(page, 'Change the letterhead');
    await page.getByRole('button', { name: 'Replace theirs by mine' }).waitFor();
    ok(/1 Mill Road.*7 Dock Street/s.test(await page.textContent('.versions tbody')),
        'the right password does not overwrite what somebody else has changed: theirs and mine');
    await page.getByRole('button', { name: 'Replace theirs by mine' }).click();
    await said(page, 'holds from now on', 'what is there now is signed, and replaced');
    await until(page, () => [...document.querySelectorAll('.filling textarea')]
        .some(({ value }) => value === '7 Dock Street'), 'my value is kept');
}

// SPDX-License-Identifier: Apache-2.0
//
// Reference data by forms: a new record with a mistake at its field, names picked instead of
// ids, something unsaved, and a record that somebody else changed in between.
import { ask, hold, is, looks, ok, open, press, until } from './support.mjs';

const field = (page, label) => page.getByRole('dialog').getByLabel(label, { exact: true });
const picker = (page, name) => page.getByRole('combobox', { name });
const panel = (page) => page.getByRole('dialog');

async function lists(page) {
    await page.click('.rail a[href$="/reference"]');
    await page.waitForSelector('tr.cursor');
    await until(page, () => /EPA/.test(document.querySelector('tbody')?.textContent),
        'test definitions with their methods');
    await looks(page, 'reference');
}

const codes = (page) => page.locator('table[role=grid]:not(.dim) tbody th').allTextContents();

// A long list is drawn in two steps.
const whole = (page) => page.waitForFunction(() => {
    const list = document.querySelector('table[role=grid]');
    return list.rows.length === Number(list.ariaRowCount);
});

// A record is found by a part of its code or name; what is not found says among how many.
async function finds(page) {
    await whole(page);
    const all = await codes(page);
    await press(page, 'f');
    await page.keyboard.insertText('rSENi');
    await until(page, () => document.querySelectorAll('table[role=grid]:not(.dim) tbody tr')
        .length === 1, 'a text in the middle of a name leaves the record that has it');
    is((await codes(page)).join(), 'AS', 'it is that of arsenic');
    ok(page.url().endsWith('/reference?q=rSENi'), 'the search stands in the address', page.url());
    await press(page, 'Enter');
    await until(page, () => document.activeElement?.matches('tr.cursor'),
        'Enter goes to the rows that were found');
    await press(page, 'f');
    await page.keyboard.insertText('no such test');
    await until(page, (expected) => document.querySelector('.nothing')?.textContent
        .includes(`0 of ${expected} fit these filters`), 'a search in vain says of how many', all.length);
    await looks(page, 'reference-not-found');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await until(page, (expected) => document.querySelectorAll('table[role=grid] tbody tr').length
        === expected && document.querySelector('[type=search]').value === '',
    'the list is whole again, and the field empty', all.length);
}

async function creates(page) {
    await page.getByRole('link', { name: 'Projects' }).click();
    await until(page, () => /NPDES/.test(document.querySelector('tbody')?.textContent), 'projects');
    await press(page, 'n');
    await page.waitForSelector('.filling');
    ok(page.url().endsWith('/reference/projects/new'), 'the form has an address', page.url());
    await field(page, 'Code').fill('RIVER');
    await panel(page).getByRole('button', { name: 'Create a project' }).click();
    await until(page, () => document.querySelector('.filling [aria-invalid=true]'),
        'what is missing is said at its field');
    await field(page, 'Name').fill('River survey');
    await picker(page, 'Client').fill('ci');
    await page.waitForSelector('.menu-item[role=option]');
    await looks(page, 'reference-form');
    const client = await page.textContent('.menu-item[role=option]');
    await press(page, 'ArrowDown', 'Enter');
    is(await picker(page, 'Client').inputValue(), client, 'a client is picked by name');
    await panel(page).getByRole('button', { name: 'Create a project' }).click();
    await until(page, () => /RIVER is created/.test(document.querySelector('.said').textContent),
        'the project is created');
    await until(page, () => document.querySelector('tbody').textContent.includes('River survey'),
        'the new project stands in the list');
    await until(page, (name) => document.querySelector('tbody')?.textContent.includes(name),
        'the list names the client of the project', client.split(', ')[1]);
}

async function conflicts(page) {
    await page.locator('tbody tr').filter({ hasText: 'River survey' }).click();
    await press(page, 'e');
    await page.waitForSelector('.filling');
    await field(page, 'Name').fill('River survey, upper reach');
    const other = await page.context().newPage();
    await open(other, new URL(page.url()).pathname);
    await field(other, 'Name').fill('River survey 2027');
    await panel(other).getByRole('button', { name: 'Change RIVER' }).click();
    await until(other, () => /RIVER is changed/.test(document.querySelector('.said').textContent),
        'somebody changes it in between');
    await other.close();
    await panel(page).getByRole('button', { name: 'Change RIVER' }).click();
    await page.waitForSelector('.filling [role=alert] table');
    const shown = await page.textContent('.filling [role=alert] tbody');
    ok(['River survey', 'River survey 2027', 'River survey, upper reach'].every((text) =>
        shown.includes(text)), 'what it was, theirs and mine', shown);
    await looks(page, 'reference-conflict');
    await page.getByRole('button', { name: 'Replace theirs by mine' }).click();
    await until(page, () => document.querySelector('tbody')?.textContent.includes('upper reach')
        && !document.querySelector('.filling'), 'mine replaces it');
}

async function history(page) {
    await press(page, 'Space');
    await until(page, () => /River survey, upper reach.*City of Riverbend/s.test(
        document.querySelector('.peek')?.textContent),
    'a look beside the list shows the whole row');
    await looks(page, 'reference-peek');
    await press(page, 'Escape', 'e');
    await page.waitForSelector('.filling');
    await panel(page).getByText('History', { exact: true }).click();
    await until(page, () => /Ruth Calder changed the project River survey, upper reach: name from/.test(
        document.querySelector('[role=dialog]').textContent), 'what became of it stands in its form');
    await looks(page, 'reference-history');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), 'the form with the history is closed');
}

async function unsaved(page) {
    await press(page, 'e');
    await page.waitForSelector('.filling');
    await field(page, 'Name').fill('not to be kept');
    page.once('dialog', (dialog) => void dialog.dismiss());
    await press(page, 'Escape');
    is(await field(page, 'Name').inputValue(), 'not to be kept', 'nothing typed is lost unasked');
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('.filling'), 'what was typed is given up when it is meant');
}

async function deactivates(page) {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /Deactivate 1 record/ }).click();
    await page.waitForSelector('#reason');
    await page.keyboard.insertText('The survey is over');
    await press(page, 'Enter');
    await until(page, () => !document.querySelector('tbody').textContent.includes('upper reach'),
        'what is not active is not listed');
    await page.getByRole('button', { name: 'Not active' }).click();
    await until(page, () => document.querySelector('tbody')?.textContent.includes('upper reach'),
        'inactive records are listed where they are asked for');
}

const file = (page, text) => panel(page).locator('input[type=file]').setInputFiles(
    { name: 'materials.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

// A file is tried before anything of it is done.
async function imports(page) {
    await page.getByRole('link', { name: 'Materials' }).click();
    await until(page, () => /\/reference\/material-types$/.test(location.pathname)
        && document.querySelector('tr.cursor'), 'materials');
    ok(await page.locator('a[download][href$="/reference-data/export?noun=material-types"]').count(),
        'the file of a list is a link');
    const [, code, name] = await page.locator('tbody tr').first().locator('th, td')
        .allTextContents();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Import materials from a file' }).click();
    await panel(page).waitFor();
    await file(page, `code,name,activ\nASH,Fly ash,true\n`);
    await until(page, () => /There is no column of this name/.test(document.querySelector(
        '[role=dialog] tbody')?.textContent), 'a mistake stands at its line and column');
    await looks(page, 'reference-import-refused');
    await file(page, `code,name\nASH,Fly ash\n${code},${name} (new)\n`);
    await until(page, () => document.querySelector('#import-reason') === document.activeElement,
        'the differences are shown, and the cursor is where one types next');
    const shown = await page.textContent('[role=dialog] tbody');
    ok(shown.includes('ASH') && shown.includes(`${name} \u2192 ${name} (new)`),
        'line by line, what it was and what it becomes', shown);
    await looks(page, 'reference-import');
    await page.keyboard.insertText('The new list of materials');
    await press(page, 'Enter');
    await until(page, () => /1 record made, 1 changed/.test(document.querySelector('.said')
        .textContent), 'what was shown is done');
    await until(page, () => !document.querySelector('[role=dialog]')
        && /Fly ash/.test(document.querySelector('tbody').textContent), 'the imported records stand in the list');
}

// A cell inherits limits until it has its own, and after these have ended.
async function specifies(page) {
    await page.getByRole('link', { name: 'Specifications' }).click();
    await page.waitForSelector('.limits');
    const show = await hold(page, '**/api/specifications?*');
    const read = ['test-definitions', 'material-types', 'projects'].map((name) =>
        page.waitForResponse(`**/api/${name}?*`).then((answer) => answer.finished()));
    await page.reload();
    await Promise.all(read);
    await ask(page, 'GET', '/organization');
    is(await page.locator('.limits').count(), 0,
        'no limit is called inherited before all are known');
    await show();
    const cell = page.locator('.limits tbody a.inherited').first();
    await cell.waitFor();
    const name = (await cell.getAttribute('aria-label')).split(':')[0];
    await looks(page, 'specifications');
    await cell.click();
    await page.waitForSelector('.filling');
    await field(page, 'Lower limit').fill('9');
    await field(page, 'Upper limit').fill('8');
    await panel(page).getByRole('button', { name: `Set the limits of ${name}` }).click();
    await until(page, () => /above high/.test(document.querySelector('.fields .refusal')
        ?.textContent), 'limits are judged, at their field');
    await field(page, 'Lower limit').fill('1.25');
    await panel(page).getByRole('button', { name: `Set the limits of ${name}` }).click();
    await until(page, (label) => document.querySelector(`.limits a[aria-label="${label}"]`)
        && !document.querySelector('.filling'), 'a cell has limits of its own',
    `${name}: 1.25 to 8`);
    await page.locator('#project').selectOption({ index: 1 });
    await until(page, (label) => document.querySelector(`.limits a.inherited[aria-label="${label}"]`),
        'a project inherits the limits of the cell', `${name}: 1.25 to 8, from any project`);
    await page.locator('#project').selectOption({ index: 0 });
    await page.locator(`.limits a[aria-label="${name}: 1.25 to 8"]`).click();
    await page.getByRole('button', { name: 'Inherit the limits again' }).click();
    await page.fill('#reason', 'The permit has none');
    await press(page, 'Enter');
    await until(page, (label) => document.querySelector(
        `.limits a.inherited[aria-label^="${label}:"]`), 'the cell inherits again when its limits have ended', name);
    await until(page, (label) => document.querySelectorAll(`.limits a[aria-label^="${label}:"]`)
        .length === 1 && !/specifications\/\d/.test(location.pathname),
    'the panel is closed', name);
}

export async function reference({ page }) {
    await lists(page);
    await finds(page);
    await creates(page);
    await conflicts(page);
    await history(page);
    await unsaved(page);
    await deactivates(page);
    await imports(page);
    await specifies(page);
}

// SPDX-License-Identifier: Apache-2.0
//
// Instrument profiles: a version is read with help at the cursor, another one is written from it,
// refused at its member, tested on files, activated with what it would read, and retired; who
// reviews files reads all again.
import { ask, desk, is, looks, ok, open, press, quiet, signIn, until, wholeOnTablet } from './support.mjs';

const code = 'visionlite-cod';
const panel = (page) => page.getByRole('dialog');
const title = (page, text) => until(page, (expected) =>
    document.querySelector('h1')?.textContent === expected, `the page of ${text}`, text);
const said = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), text, text);
const definition = (page) => page.getByLabel('Definition of the profile, as JSON');

// Puts the cursor behind some text, as a person does by keys.
const cursorAt = (page, text) => definition(page).evaluate((field, behind) => {
    const at = field.value.indexOf(behind) + behind.length;
    field.focus();
    field.setSelectionRange(at, at);
}, text);

const helped = (page, section, member) => until(page, ([of, name]) =>
    document.querySelector('#section')?.selectedOptions[0]?.textContent === of
    && (document.querySelector('#member')?.textContent ?? '').startsWith(name),
`help about ${member || 'all'} of ${section}`, [section, member]);

async function reads(page) {
    await page.click('.rail a[href$="/instrument-profiles"]');
    const row = page.locator('tbody tr', { hasText: code });
    await row.waitFor();
    await until(page, () => /1\s*Active.*text, wide\s*1/.test([...document.querySelectorAll('tbody tr')]
        .find(({ textContent }) => textContent.includes('visionlite-cod'))?.innerText
        .replaceAll('\n', ' ')), 'it is listed with version, status, format and the files that wait');
    await looks(page, 'profiles');
    for (const column of ['Code', 'Status', 'Format', 'Held files']) {
        await wholeOnTablet(page, column);
    }
    await row.click();
    await press(page, 'Enter');
    await title(page, `${code}, version 1`);
    const text = await definition(page).inputValue();
    ok(text.startsWith(`{\n  "code": "${code}",\n  "name":`), 'members stand in the manual\'s order', text);
    ok(!await definition(page).isEditable(), 'a version that was active is only read');
    await cursorAt(page, '"container": "te');
    await helped(page, 'match', 'container');
    await cursorAt(page, '"testCode": "CO');
    await helped(page, 'tests[]', 'testCode');
    await page.getByLabel('Help about').selectOption('A condition');
    await until(page, () => /equals/.test(document.querySelector('.members-of')?.textContent),
        'help about another object is chosen');
    await looks(page, 'profile');
}

// The version is written by keys alone: Tab leads out of the text, and into the next one the
// cursor is put.
async function writes(page) {
    await cursorAt(page, '{');
    await press(page, 'Shift+Tab', 'e');
    await title(page, `Add a version of ${code}`);
    await until(page, () => document.activeElement?.matches('textarea'),
        'the cursor is where one types');
    const text = await definition(page).inputValue();
    const mended = text.replace('"wide"', '"wide",\n  "qualifiers": { "flags": [{ "text": "Out of range",'
        + ' "action": "note" }] }');
    await definition(page).fill(mended.replace('"action": "note"', '"action": "shrug"'));
    await press(page, 'Control+s');
    await page.waitForSelector('#refusal');
    ok(/qualifiers\.flags\[0\]\.action: /.test(await page.textContent('#refusal')),
        'a refusal names the member', await page.textContent('#refusal'));
    is(await page.evaluate(() => {
        const { value, selectionStart, selectionEnd } = document.activeElement;
        return value?.slice(selectionStart, selectionEnd);
    }), '"action": "shrug"', 'the member is selected');
    await helped(page, 'qualifiers.flags[]', 'action');
    await looks(page, 'profile-refused');
    await page.keyboard.insertText('"action": "note"');
    await press(page, 'Control+s');
    await said(page, `${code}, version 2, is added as a draft`);
    await title(page, `${code}, version 2`);
    const { data: [{ instrumentId, status }] } = await ask(page, 'GET',
        `/instrument-profiles?code=${code}&order=-id`);
    ok(instrumentId !== null && status === 'draft', 'a draft of the same instrument');
}

const head = 'Sample Name,Dilution factor,Ordinate [A],Concentration [mg/L],Error\r\n';
const rows = ['Blank,1,0.00105,0.4,', 'S-1,1,2.9,1204,Out of range', 'S-2,1,0.1,many,'];
const file = (name) => ({ name, mimeType: 'text/csv',
    buffer: Buffer.from(`${head}${rows.join('\r\n')}\r\n`) });

async function tests(page) {
    await until(page, () => /No file is tested yet/.test(document.querySelector('main').textContent),
        'after it is added it can be tested');
    await page.locator('input[type=file]').setInputFiles(file('cod-evening.csv'));
    await page.waitForSelector('td[aria-invalid=true]');
    is((await page.textContent('td[aria-invalid=true]')).trim(), 'many',
        'a value that is no number is marked in its cell');
    ok(/COD, 1204 mg\/L/.test(await page.textContent('tr[data-row="3"]')),
        'beside a row stands what is read from it', await page.textContent('tr[data-row="3"]'));
    is((await page.textContent('#decide')).replace(/1 of 1.*/, ''), '1 reason', 'the reasons are counted');
    ok(/Row 4, D/.test(await page.textContent('.cards > [aria-current=true]')),
        'a reason has its row and column');
    ok(/Rows3.*Passed over1/.test(await page.textContent('aside.peek')),
        'rows are counted by what they are');
    await looks(page, 'profile-test');
    const before = await page.locator('tr.cursor').getAttribute('data-row');
    await press(page, 'k');
    is(await page.locator('tr.cursor').getAttribute('data-row'), String(Number(before) - 1),
        'keys go from row to row');
    await press(page, 'n');
    is(await page.locator('tr.cursor').getAttribute('data-row'), before, 'n goes to the next reason');

    await page.evaluate((text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], 'other.csv'));
        document.querySelector('.tried').dispatchEvent(new DragEvent('drop',
            { bubbles: true, cancelable: true, dataTransfer }));
    }, 'Name,Value\r\nS-1,2\r\n');
    await until(page, () => /unknown_profile/.test(document.querySelector('.banner.late')?.textContent),
        'a file that it is not for is refused as a whole');
    await page.getByLabel('Held file').selectOption({ label: `cod-noon.csv, ${code}` });
    await until(page, () => /Nothing holds this file back/.test(document.querySelector('#decide')
        ?.textContent) && /EFF 002 rep/.test(document.querySelector('table.grid')?.textContent),
    'a held file is read by it without a reason');
    ok(/\?file=\d+$/.test(page.url()), 'the file stands in the address', page.url());
}

async function activates(page) {
    await page.getByRole('button', { name: `Activate ${code}, version 2` }).click();
    await page.waitForSelector('#reason');
    const text = await panel(page).textContent();
    ok(/version 1 is retired/.test(text) && /1 file in quarantine is for it: it would read 1 without/
        .test(text) && /cod-noon\.csv: 2 reasons now, none in reading it/.test(text),
    'what activating would do is said', text);
    await looks(page, 'profile-activate');
    await page.fill('#reason', 'Values out of range are diluted anew');
    await press(page, 'Enter');
    await said(page, `${code}, version 2, is active`);
    await page.getByRole('link', { name: 'Versions 2' }).click();
    await until(page, () => /2\s*Active.*1\s*Retired/s.test(document.querySelector('main .table')
        ?.innerText), 'the former version is retired');
    await page.getByRole('link', { name: 'History' }).click();
    await until(page, () => /Values out of range are diluted anew/.test(
        document.querySelector('main .table')?.textContent), 'the reason is in the history');
}

// Somebody who reviews files, and may manage profiles as well, reads again those that wait.
async function again(browser) {
    const other = await desk(browser);
    const { page } = other;
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, 'lena.fischer@cedarbasin.example');
    await page.waitForSelector('.rail a[href$="/instrument-profiles"]');
    await press(page, '/');
    await page.keyboard.insertText(code.toUpperCase());
    await press(page, 'Enter');
    await title(page, `${code}, version 2`);
    await page.getByRole('button', { name: 'Read all again' }).click();
    await until(page, () => /cod-noon\.csv: 2 reasons before, 1 now/.test(document.querySelector(
        '[role=dialog]')?.textContent), 'what reading all again would change is said');
    await press(page, 'Escape');
    await panel(page).waitFor({ state: 'detached' });
    await press(page, 'Control+k');
    await page.keyboard.insertText('profiles');
    await press(page, 'Enter');
    await title(page, 'Instrument profiles');
    quiet(other, 'the other browser');
    await other.context.close();
}

async function retires(page) {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: `Retire ${code}, version 2` }).click();
    await page.fill('#reason', 'Back to the former one');
    await press(page, 'Enter');
    await said(page, `${code}, version 2, is retired`);
    await page.click('.rail a[href$="/instrument-profiles"]');
    await page.getByRole('button', { name: 'Retired', exact: true }).click();
    await until(page, () => document.querySelectorAll('tbody tr').length === 2,
        'both versions are among the retired ones');
    await page.locator('tbody tr').last().click();
    await page.getByRole('button', { name: `Activate ${code}, version 1` }).click();
    await page.waitForSelector('#reason');
    await page.fill('#reason', 'It was enough');
    await press(page, 'Enter');
    await said(page, `${code}, version 1, is active`);
}

export async function profiles(browser, { page }) {
    await reads(page);
    await writes(page);
    await tests(page);
    await activates(page);
    await again(browser);
    await retires(page);
    await press(page, 'n');
    await title(page, 'Add a profile');
    ok(await page.getByRole('button', { name: 'Add a profile' }).getAttribute('aria-disabled') === 'true',
        'an empty definition is not sent');
    await page.locator('input[type=file]').setInputFiles({ name: 'own.json', mimeType: 'application/json',
        buffer: Buffer.from('{ "code": "own" }') });
    await until(page, () => document.querySelector('textarea')?.value === '{ "code": "own" }',
        'a definition is taken from a file');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.click('.rail a[href$="/instrument-profiles"]');
    await title(page, 'Instrument profiles');
}

// SPDX-License-Identifier: Apache-2.0
//
// A workbook with faults in rows of the same number in two sheets, with two tests in a row, and
// with a sample that has no such test; and one whose rows are in a hidden sheet.
import { act, ask, desk, hold, is, ok, open, press, quiet, run, signIn,
    until } from './support.mjs';

const head = ['Anions of', 'Nitrate', 'Sulfate'];
const hiddenHead = ['Sample of anions', 'Nitrate', 'Sulfate'];

async function sent(page, fileName, sheets) {
    const { id } = await ask(page, 'POST', '/instrument-ingest', { fileName,
        contentBase64: await act('written', ...sheets) });
    await open(page, `/app/instrument-files/${id}`);
    await page.waitForSelector('td[aria-invalid], th .unseen');
    return id;
}

const cardOf = (page, words) => page.locator('.cards > li', { hasText: words });
const left = (page, n) => until(page, (count) => new RegExp(count
    ? `^Decide ${count} reason` : '^Nothing is left').test(document.querySelector('#decide')?.textContent),
`${n} reasons are left`, n);

async function because(page, reason) {
    await page.waitForSelector('#reason');
    await page.keyboard.insertText(reason);
    await press(page, 'Enter');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
}

// Row 3 of Run2 is left out, by its card and by its row, and never that of Run1.
async function rowOfItsSheet(page) {
    await page.getByLabel('Sheet').selectOption('Run2');
    await page.waitForSelector('tr[data-row="3"]:has-text("NOWHERE-2")');
    await page.click('tr[data-row="3"] th');
    const here = page.locator('.cards > [aria-current=true]');
    await here.waitFor();
    ok(/^Row 3, A, sheet Run2 There is no sample NOWHERE-2/.test(await here.textContent()),
        'the card of the row in the sheet that is shown, with the name of the sheet',
        await here.textContent());
    for (const way of [() => here.getByRole('button', { name: 'Leave out' }).click(),
        () => page.click('tr[data-row="3"] th').then(() => press(page, 'x'))]) {
        await way();
        await page.waitForSelector('#reason');
        is(await page.textContent('[role=dialog] h2'), 'Leave out row 3 of sheet Run2',
            'the dialog names the sheet');
        await press(page, 'Escape');
        await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    }
    await press(page, 'x');
    await because(page, 'A rinse');
}

// Each of two values of a row has its own test.
async function testsOfRow(page, twice) {
    for (const [code, fixed] of [['SO4', '3'], ['NO3N', '2']]) {
        const card = cardOf(page, `2 tests ${code}`);
        await card.click();
        await card.locator('input[type=radio]').first().waitFor();
        const offered = await card.locator('.pick').allTextContents();
        is(offered.length, 2, `two tests are offered for ${code}`);
        ok(offered.every((text) => text.startsWith(twice) && text.includes(`, ${code}`)),
            'each with its code', offered.join('\n'));
        await card.locator('input[type=radio]').last().check();
        await card.getByRole('button', { name: 'Use this test' }).click();
        await until(page, ([words]) => [...document.querySelectorAll('.cards > li')].some(
            ({ textContent }) => textContent.includes(words)
                && textContent.includes('The test was chosen by')), 'the test is chosen', [`2 tests ${code}`]);
        await left(page, Number(fixed));
    }
}

async function otherSample(page, name) {
    const card = cardOf(page, 'has no test NO3N').first();
    await card.click();
    await card.locator('input.id').waitFor();
    await card.locator('input.id').fill(name);
    await card.locator('#why').fill('The labels were swapped');
    await cardOf(page, 'NOWHERE-1').click();
    await cardOf(page, 'NOWHERE-1').locator('#means').waitFor();
    await card.click();
    is(await card.locator('#why').inputValue(), 'The labels were swapped',
        'what was typed about a row is there after a look at another one');
    await card.getByRole('button', { name: `Use ${name}` }).click();
    await until(page, (to) => document.querySelector('.cards').textContent.includes(`Read as ${to}`),
        'the sample without the test means another one', name);
}

// How many results a release would write is known when the last decision has been tried.
async function beingTried(page) {
    const answer = await hold(page, '**/release');
    await page.click('tr[data-row="4"] th');
    await press(page, 'x');
    await because(page, 'Not meant');
    await until(page, () => /Release 4 results/.test(
        document.querySelector('.head [aria-disabled=true]')?.textContent),
    'nothing is released while the last decision is being tried');
    await answer();
    await page.getByRole('button', { name: 'Release 2 results' }).waitFor();
    await cardOf(page, 'Not meant').getByRole('button', { name: 'Take back' }).click();
}

async function workbook(page, samples) {
    const [twice, without, withIt] = samples.map(({ trackingId }) => trackingId);
    const id = await sent(page, 'anions.xlsx', [
        { name: 'Run1', rows: [head, [twice, '1.5', '20.5'], ['NOWHERE-1', '9', '9'],
            [without, '2.5', '30.5']] },
        { name: 'Run2', rows: [head, ['', '', ''], ['NOWHERE-2', '8', '8']] },
    ]);
    await left(page, 5);
    await rowOfItsSheet(page);
    await left(page, 4);
    const { decisions } = await ask(page, 'GET', `/instrument-files/${id}`);
    is(decisions.exclude.map(({ sheet, row }) => `${sheet} ${row}`).join(), 'Run2 3',
        'the row of that sheet is left out');
    await testsOfRow(page, twice);
    await otherSample(page, withIt);
    await left(page, 1);
    await cardOf(page, 'NOWHERE-1').click();
    await cardOf(page, 'NOWHERE-1').getByRole('button', { name: 'Leave out' }).click();
    await because(page, 'A rinse too');
    await left(page, 0);
    await beingTried(page);
    await page.getByRole('button', { name: 'Release 4 results' }).click();
    await because(page, 'Checked with the analyst');
    await until(page, () => /Released/.test(document.querySelector('.head')?.textContent),
        'it is released');
    const tests = await Promise.all(samples.map((sample) =>
        ask(page, 'GET', `/samples/${sample.id}`)));
    is(tests.map((sample) => sample.tests.map(({ testCode, result }) => `${testCode} ${result}`)
        .sort().join(', ')).join('; '),
    'NO3N 1.5, NO3N null, SO4 20.5, SO4 null; SO4 null; NO3N 2.5, SO4 30.5',
    'each value stands in the test that was named, and nowhere else');
}

async function hiddenSheet(page) {
    await sent(page, 'hidden.xlsx', [
        { name: 'Cover', rows: [['Laboratory'], ['Cedar Basin'], ['Anions']] },
        { name: 'Data', hidden: 1, rows: [hiddenHead, ['NOWHERE-3', '1', '2']] },
    ]);
    await page.waitForSelector('tr.cursor:has-text("NOWHERE-3")');
    ok(/^Row 2, A, sheet Data/.test(await page.textContent('.cards > [aria-current=true]')),
        'a reason in a hidden sheet is shown there');
    is(await page.getByLabel('Sheet').inputValue(), 'Data', 'the sheet is named');
}

// A control is not left out, whatever is wrong with it.
async function control(page) {
    await sent(page, 'blank.xlsx', [
        { name: 'Run1', rows: [head, ['NOWHERE-4', '1', '2'], ['BLK-1', 'abc', '0.1']] }]);
    await cardOf(page, 'Row 3').first().click();
    await until(page, () => document.querySelector('.cards > [aria-current=true]')?.textContent
        .includes('cannot be left out'), 'the card of a control says that it cannot be left out');
    is(await cardOf(page, 'Row 3').getByRole('button', { name: 'Leave out' }).count(), 0,
        'no button offers it');
    await press(page, 'x');
    is(await page.locator('#reason').count(), 0, 'no key leaves it out');
    await cardOf(page, 'NOWHERE-4').click();
    await cardOf(page, 'NOWHERE-4').getByRole('button', { name: 'Leave out' }).waitFor();
    ok(true, 'a sample of nobody can be left out');
}

run(async (browser) => {
    const lab = await desk(browser);
    lab.seen.expected.push(/status of 409/);
    await open(lab.page);
    await lab.page.waitForSelector('#email');
    await signIn(lab.page, 'lena.fischer@cedarbasin.example');
    await lab.page.waitForSelector('.rail a[href$="/instrument-files"]');
    const { data } = await ask(lab.page, 'GET', '/samples?limit=100&order=-id');
    await workbook(lab.page, ['AN-TWICE', 'AN-WITHOUT', 'AN-WITH'].map((name) =>
        data.find(({ externalId }) => externalId === name)));
    await hiddenSheet(lab.page);
    await control(lab.page);
    quiet(lab);
});

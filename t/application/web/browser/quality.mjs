// SPDX-License-Identifier: Apache-2.0
//
// Worksheets, confirmations, lots with their recall, investigations, the audit trail.
import { readFile } from 'node:fs/promises';

import { act, ask, desk, hold, is, looks, ok, open, press, quiet, run, scan, signIn, until,
    wholeOnTablet } from './support.mjs';

const mateo = 'mateo.ortiz@cedarbasin.example';
const priya = 'priya.nair@cedarbasin.example';
const grace = 'grace.okafor@cedarbasin.example';

// Goes to another page without loading the application again.
const go = (page, place) => page.locator('.rail').getByRole('link', { name: place, exact: true })
    .click();

// Returns the text of the file that a button of the list downloads.
async function downloaded(page, name) {
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.locator('.head').getByRole('link', { name, exact: true }).click()]);
    return readFile(await file.path(), 'utf8');
}

// Lists and groups of values are words, not what they are kept as.
async function auditInWords(page) {
    await open(page, '/app/audit?table=qc_series');
    const row = page.locator('tbody tr').filter({ hasText: '1-3s' }).first();
    await row.waitFor();
    const said = await row.textContent();
    ok(/QC series.*rules 1-3s, 2-2s/.test(said), 'a list in the trail is told in words', said);
    await row.click();
    await press(page, 'Space');
    await page.waitForSelector('.peek .tree li');
    ok((await page.locator('.peek .tree li').allTextContents()).includes('2-2s'),
        'beside it each value of the list has a line');
    await looks(page, 'audit-list-of-values');
    await page.goto(page.url().replace('qc_series', 'instrument_file'));
    await page.waitForSelector('tbody tr.cursor');
    const changes = (await page.locator('tbody').textContent());
    ok(/counts none → rows \d+, results \d+/.test(changes), 'a group in the trail is told in words', changes);
    ok(!/[{[]"/.test(changes), 'no JSON stands in the trail', changes);
}

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
    await adding.getByRole('button', { name: 'Filter', exact: true }).click();
    await until(page, () => [...document.querySelectorAll('tbody tr')].length > 0
        && [...document.querySelectorAll('tbody td.quiet')]
            .every((cell) => cell.textContent === 'instrument file'), 'only those of files');
    ok(page.url().endsWith('/app/audit?surface=instrument+file'), 'the filter is in the address',
        page.url());
    await wholeOnTablet(page, 'Who');
    const entries = (await downloaded(page, 'Export JSON')).trimEnd().split('\n')
        .map((line) => JSON.parse(line));
    ok(entries.pop().signature.length > 0, 'the last line of the JSON signs the others');
    const lines = [...(await downloaded(page, 'Export CSV')).matchAll(/^"(\d+)",/gm)];
    ok(entries.length > 0 && entries.every(({ surface }) => surface === 'instrument file'),
        'the JSON that is downloaded has only these', JSON.stringify(entries[0]));
    is([...new Set(lines.map(([, id]) => id))].sort().join(),
        entries.map(({ id }) => String(id)).sort().join(), 'the CSV has the same entries as the JSON');
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
    is(await page.locator('.rail [aria-current]').textContent(), 'Lots',
        'the rail shows media lots under Lots');
    const failed = page.locator('tbody tr').filter({ hasText: 'PCA-B' });
    ok(/Failed.*Passed.*Failed/.test(await failed.textContent()), 'growth, sterility, and both');
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
    await press(page, 't');
    const form = page.getByRole('dialog', { name: 'Record a test' });
    await form.getByLabel('Test', { exact: true }).selectOption('sterility');
    await form.getByLabel('Outcome').selectOption('passed');
    await form.getByRole('button', { name: 'Record a test' }).click();
    await until(page, () => !document.querySelector('[role=dialog]') && [...document
        .querySelectorAll('table[aria-label="Quality control"] tbody tr')].length === 3,
    'a test of the medium is recorded');
    await go(page, 'Lots');
    await page.waitForSelector('tr.cursor');
    await press(page, 'n');
    const receiving = page.getByRole('dialog', { name: 'Receive a reagent lot' });
    await receiving.getByLabel('Code').waitFor();
    await looks(page, 'lot-new');
    await receiving.getByLabel('Code').fill('HNO3-27');
    await receiving.getByLabel('Lot number').fill('NA-90001');
    await receiving.getByLabel('Name', { exact: true }).fill('Nitric acid');
    await receiving.getByLabel('Expires on').fill('2030-01-31');
    await press(page, 'Enter');
    await until(page, () => /HNO3-27/.test(document.querySelector('tr.cursor')?.textContent
        ?? '') && !document.querySelector('[role=dialog]'), 'a lot is received, and stands first');
    await usesLot(page);
    await recalled(page);
}

// From a lot to the certificates that went out with it.
async function recalled(page) {
    const { data: lots } = await ask(page, 'GET', '/reagent-lots?limit=100');
    const uses = await Promise.all(lots.map(({ id }) => ask(page, 'GET', `/reagent-lots/${id}/recall`)));
    const of = uses.findIndex(({ data }) => data.some(({ certificateId }) => certificateId));
    const { certificateId, certificateNumber } = uses[of].data.find((use) => use.certificateId);
    await open(page, `/app/reagent-lots/${lots[of].id}`);
    await page.getByRole('link', { name: certificateNumber }).first().click();
    await page.waitForSelector('h1.id');
    is(new URL(page.url()).pathname, `/app/certificates/${certificateId}`,
        'the recall leads to the certificate');
}

// A new lot is opened by its key, set aside and released again.
async function usesLot(page) {
    const lot = async () => (await ask(page, 'GET', '/reagent-lots?code=HNO3-27')).data[0];
    await page.locator('tbody tr').filter({ hasText: 'HNO3-27' }).click();
    await press(page, 'o');
    await page.getByRole('dialog').getByRole('button', { name: 'Open 1 lot' }).click();
    await until(page, () => /1 lot opened/.test(document.querySelector('.said')?.textContent),
        'a lot is opened');
    ok((await lot()).openedOn, 'the day on which the lot was opened is recorded');
    await page.getByRole('button', { name: 'Quarantine HNO3-27' }).click();
    await page.fill('#reason', 'The seal was loose');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Release HNO3-27' }).click();
    await page.fill('#reason', 'The seal was replaced at once');
    await press(page, 'Enter');
    await until(page, () => /HNO3-27 is released/.test(document.querySelector('.said')?.textContent),
        'a lot that was set aside is released with a reason');
    ok((await lot()).qcStatus !== 'quarantined', 'the lot is quarantined no more',
        (await lot()).qcStatus);
}

// Something else is there than what was seen: nothing is signed until that was seen, too.
async function signsWhatIsThere(page, now, name) {
    const signing = page.getByRole('dialog');
    await signing.getByLabel(/^Password/).fill(process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await signing.getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, (text) => document.querySelector('[role=dialog]')?.textContent.includes(text)
        && !document.querySelector('#refusal'), name, now);
    await signing.getByLabel(/^Password/).press('Enter');
}

const idIn = (page) => page.url().split('/').at(-1);

// A test that has none leads to its first one.
async function worksheetOfTest(page) {
    const { data: [test] } = await ask(page, 'GET', '/sample-tests?limit=1&status=pending');
    await open(page, `/app/worksheets/of/${test.id}`);
    await page.getByRole('button', { name: 'Begin the worksheet' }).waitFor();
    await looks(page, 'worksheet-of-test');
}

// Somebody else enters a value that is typed over: nothing is entered until both were seen.
async function replacing(page) {
    const { sampleTestId } = await ask(page, 'GET', `/worksheets/${idIn(page)}`);
    await ask(page, 'POST', '/worksheets', { sampleTestId,
        values: [{ field: 'tare_weight', value: '48100.9' }] });
    await page.getByRole('button', { name: 'Save 2 values' }).click();
    await page.waitForSelector('.versions tbody tr');
    ok(/Tare weight.*48100\.9.*48100\.2/s.test(await page.textContent('.versions')),
        'a value that somebody else entered meanwhile stands beside mine',
        await page.textContent('.versions'));
    const { values } = await ask(page, 'GET', `/worksheets/${idIn(page)}`);
    const valueOf = (name) => values.find(({ field }) => field === name).value;
    is([valueOf('tare_weight'), valueOf('final_weight')].join(), '48100.9,',
        'nothing was entered unseen');
    await looks(page, 'worksheet-conflict');
    await page.getByRole('button', { name: 'Replace theirs by mine' }).click();
    await savesWhileTyping(page);
}

// The values are on their way while the next one is typed.
async function savesWhileTyping(page) {
    const lot = page.getByLabel('Lot of the solvent');
    const sent = await hold(page, /\/api\/worksheets$/);
    const readAgain = await hold(page, /\/api\/worksheets\/\d+$/);
    await page.getByRole('button', { name: 'Save 2 values' }).click();
    await lot.fill('STD-IC-98');
    await sent();
    await until(page, () => /2 values saved/.test(document.querySelector('.said')?.textContent),
        'that values are saved is told before they are read again');
    await readAgain();
    await page.waitForSelector('main form[aria-busy=false]');
    is(await lot.inputValue(), 'STD-IC-98', 'what is typed while values are saved stays');
}

// Text beside the field that is computed.
const computed = (page) => page.locator('tr').filter({ hasText: /^Oil and grease/ }).textContent();

// A label is scanned over what stands in a field; a lot that nobody knows is refused.
async function scannedLot(page) {
    const lot = page.getByLabel('Lot of the solvent');
    await lot.fill('CB-1 and more');
    await scan(page, 'STD-IC-99', 'Enter');
    is(await lot.inputValue(), 'STD-IC-99', 'a scan replaces what stands in the field of a lot');
    await until(page, () => document.activeElement?.type === 'submit',
        'Enter behind a scan goes to the next field');
    await page.getByRole('button', { name: 'Save 1 value' }).click();
    await until(page, () => /Lot of the solvent: there is no reagent lot "STD-IC-99"/.test(
        document.querySelector('.said')?.textContent), 'an unknown lot is refused, by its number');
    ok(/worksheets/.test(page.url()), 'the scan opens no other page', page.url());
    await looks(page, 'worksheet-unknown-lot');
    await lot.focus();
    await scan(page, 'AN-26012,', 'Enter');
    await page.getByRole('button', { name: 'Save 1 value' }).click();
    await until(page, () => document.getElementById('value-solvent_lot')?.value === 'STD-IC-26',
        'the lot of a lot number is shown by its code');
}

async function worksheets(page) {
    await go(page, 'Worksheets');
    await page.waitForSelector('tr.cursor');
    const row = page.locator('tbody tr').filter({ hasText: /Incomplete/ }).first();
    ok(/2 fields/.test(await row.textContent()), 'what is missing is counted',
        await row.textContent());
    await looks(page, 'worksheets');
    await row.click();
    await press(page, 'Enter');
    ok(/needs final weight of flask, tare weight of flask/i.test(await computed(page)),
        'what a computed value needs is named', await computed(page));
    await page.getByLabel('Tare weight of flask').fill('48100.2');
    ok(/follows when the values are saved/.test(await computed(page)), 'nothing is computed of what is not saved',
        await computed(page));
    await page.getByLabel('Tare weight of flask').press('Enter');
    await until(page, () => document.activeElement?.id === 'value-final_weight',
        'Enter goes to the next field');
    await page.keyboard.insertText('48103.9');
    ok(await page.getByRole('button', { name: 'Sign Analyst' }).getAttribute('aria-disabled'),
        'what is typed is saved before it is signed');
    await replacing(page);
    await until(page, () => /Not signed/.test(document.querySelector('.head')?.textContent),
        'the values are saved');
    is(await page.locator('#value-oil_and_grease').textContent(), '3.7',
        'the computed value follows from the saved ones');
    await scannedLot(page);
    const sign = page.locator('.beside .primary', { hasText: 'Sign Analyst' });
    await page.getByLabel('Tare weight of flask').fill('1');
    await sign.and(page.locator('[aria-disabled]')).waitFor();
    await page.getByLabel('Tare weight of flask').fill('48100.2');
    await until(page, () => document.querySelector('.beside .primary:not([aria-disabled])'),
        'what is typed back needs no saving before it is signed');
    await looks(page, 'worksheet');
    await page.keyboard.press('Control+Enter');
    const signing = page.getByRole('dialog');
    ok(/48103\.9.*3\.7/s.test(await signing.textContent()),
        'every value that is signed is listed, computed ones as well', await signing.textContent());
    const { sampleTestId } = await ask(page, 'GET', `/worksheets/${idIn(page)}`);
    await ask(page, 'POST', '/worksheets', { sampleTestId,
        values: [{ field: 'final_weight', value: '48104.9' }] });
    await signsWhatIsThere(page, '48104.9', 'a value that was changed meanwhile is shown first');
    await page.getByRole('button', { name: 'Withdraw the signatures' }).waitFor();
    ok(await page.getByLabel('Tare weight of flask').isDisabled(), 'a signed value is locked');
    const next = page.locator('.beside .refused');
    ok(/in the role .*, which you do not have/.test(await next.textContent()),
        'the next step is for another role: it says which', await next.textContent());
    await page.getByRole('button', { name: 'Withdraw the signatures' }).click();
    await page.fill('#reason', 'The flask was weighed wet');
    await press(page, 'Enter');
    await until(page, () => /signatures are withdrawn/.test(
        document.querySelector('.said')?.textContent), 'a reason withdraws the signatures');
    is((await ask(page, 'GET', `/worksheets/${idIn(page)}`)).signOffs.length, 0,
        'no signature of the worksheet stands');
    await until(page, () => [...document.querySelectorAll('label')].some(({ control, textContent }) =>
        /Tare weight of flask/.test(textContent) && control && !control.disabled)
        || document.querySelector('[aria-label^="Tare weight"]')?.disabled === false,
    'its values can be corrected');
}

// A lot that is not released is accepted for one sample, signed, from what blocks it.
async function acceptingLot(page) {
    const { data: [lot] } = await ask(page, 'GET', '/media-lots?code=PCA-B');
    await act('rows', `UPDATE lims.organization SET lot_qc_policy = 'block'
        WHERE code = 'cedar-basin' RETURNING id`);
    const { data: uses } = await ask(page, 'GET', `/media-lots/${lot.id}/recall?limit=100`);
    const ids = [...new Set(uses.map(({ sampleId }) => sampleId))];
    const blocked = async (id) => (await ask(page, 'GET', `/samples/${id}/readiness`)).findings
        .filter(({ category, mediaLotId }) => category === 'lot_not_released'
            && mediaLotId === lot.id).length;
    const counts = await Promise.all(ids.map(blocked));
    const id = ids[counts.findIndex((count) => count > 0)];
    await open(page, `/app/samples/${id}`);
    await page.getByRole('button', { name: 'Accept the lot for this sample' }).first().click();
    const signing = page.getByRole('dialog');
    ok(/Accept lot PCA-B for CB-/.test(await signing.textContent()),
        'the lot and the sample are named', await signing.textContent());
    await looks(page, 'lot-accepted');
    await signing.getByLabel('Reason').fill('The growth was seen on a second plate');
    await signing.getByLabel(/^Password/).fill(process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await until(page, () => /PCA-B is accepted for CB-/.test(
        document.querySelector('.said')?.textContent), 'the lot is accepted for the sample');
    is(await blocked(id), 0, 'it blocks the sample no more');
}

// Readings of today stand apart, the earliest first, however old their results are.
async function dueToday(page) {
    const { data: [one] } = await ask(page, 'GET', '/confirmations?limit=1');
    const due = (hours) => new Date(Date.now() + hours * 3600_000).toISOString();
    const rows = [[9002, 3], [9001, 5], [9000, 1]].map(([id, hours]) =>
        ({ ...one, id, trackingId: `CB-26-000${id}-X`, nextReadDue: due(hours) }));
    const asked = [];
    const now = Date.now();
    const isDue = (url) => url.pathname.endsWith('/api/confirmations')
        && url.searchParams.has('dueBefore');
    await page.route(isDue, (route) => {
        asked.push(new URL(route.request().url()).searchParams.get('dueBefore'));
        return route.fulfill({ json: { data: rows, hasMore: false, nextCursor: null } });
    });
    await page.getByRole('button', { name: 'Due today' }).click();
    await until(page, () => [...document.querySelectorAll('table[role=grid] tbody th')]
        .map((cell) => cell.textContent.match(/9\d{3}/)?.[0]).join() === '9000,9002,9001',
    'readings that are due stand in the order in which they are due');
    const zone = 'America/Denver';
    const at = (moment, options) => new Date(moment).toLocaleString('en-CA', { timeZone: zone, ...options });
    ok(at(asked[0], { hourCycle: 'h23', timeStyle: 'short' }) === '00:00'
        && Date.parse(asked[0]) - now <= 26 * 3600_000 && Date.parse(asked[0]) > now,
    'the laboratory\'s day is what counts', asked[0]);
    await looks(page, 'confirmations-due');
    await page.getByRole('button', { name: 'Pending', exact: true }).click();
    await page.unroute(isDue);
}

async function confirmations(page) {
    await go(page, 'Confirmations');
    await page.waitForSelector('tr.cursor');
    const row = page.locator('tbody tr').filter({ hasText: 'Fecal coliform' }).first();
    ok(/CB-\d\d-\d{7}-\w.*500.*Pending/.test(await row.textContent()),
        'a presumptive result waits', await row.textContent());
    await looks(page, 'confirmations');
    await dueToday(page);
    await row.click();
    await press(page, 'Enter');
    await page.waitForSelector('table[aria-label="Readings"] tbody tr');
    const letGo = await hold(page, /\/api\/media-lots\?/);
    await press(page, 'n');
    const form = page.getByRole('dialog', { name: 'Record a reading' });
    const lot = form.getByRole('combobox', { name: 'Media lot' });
    await form.getByLabel('Medium').fill('EC broth');
    await lot.fill('ECB');
    await letGo();
    await page.getByRole('option', { name: /^ECB-A/ }).waitFor();
    is(await lot.inputValue(), 'ECB', 'what is typed before the lots are read stays');
    await press(page, 'ArrowDown', 'Enter');
    await form.getByLabel('Reading', { exact: true }).fill('Gas in 5, 3 and 1 of 5 tubes');
    await form.getByLabel('Outcome').fill('positive');
    await form.getByRole('button', { name: 'Record a reading' }).click();
    await until(page, () => !document.querySelector('[role=dialog]') && /Gas in 5, 3 and 1/.test(
        document.querySelector('table[aria-label="Readings"]')?.textContent),
    'a reading is recorded');
    ok(/EC broth, ECB-A/.test(await page.textContent('table[aria-label="Readings"]')),
        'the reading names a lot of its medium');
    await looks(page, 'confirmation');
    await page.locator('.head').getByRole('button', { name: 'Confirm', exact: true }).click();
    const deciding = page.getByRole('dialog');
    await deciding.locator('tbody tr').first().waitFor();
    const { unit, specification } = await ask(page, 'GET', `/sample-tests/${idIn(page)}`);
    const before = await deciding.textContent();
    ok([unit, specification ?? '', 'Gas in 5, 3 and 1 of 5 tubes']
        .every((text) => before.includes(text)), 'unit, limit and readings are listed with what is decided', before);
    await ask(page, 'POST', `/confirmations/${idIn(page)}/steps`, { medium: 'EC broth',
        reading: 'No gas at 48 h', outcome: 'negative' });
    await deciding.getByRole('button', { name: /^Confirm/ }).click();
    await deciding.getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, () => !document.querySelector('#refusal'),
        'a reading that came meanwhile is seen before it is decided, also without a password');
    if (await deciding.getByLabel(/^Password/).count()) {
        await deciding.getByLabel(/^Password/).fill(process.env.LIMS_PASSWORD);
    }
    await deciding.getByRole('button', { name: /^Confirm/ }).click();
    await until(page, () => /Confirmed/.test(document.querySelector('.head')?.textContent)
        && !document.querySelector('[role=dialog]'), 'it is confirmed');
}

// A test is repeated by the plan of its investigation once that is approved: the refusal leads
// there, and the approval is signed with all that it covers before the eyes.
async function approvingPlan(page) {
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    const at = page.url();
    const one = await ask(page, 'GET', `/investigations/${idIn(page)}`);
    await open(page, `/app/samples/${one.sampleId}`);
    await page.locator('.tall tbody tr').getByRole('button', { name: `Acts on ${one.testCode}`,
        exact: true }).first().click();
    await page.getByRole('menuitem', { name: `Retest ${one.testCode}` }).click();
    await page.fill('#reason', 'The second portion');
    await press(page, 'Enter');
    const refusal = page.getByRole('dialog').getByRole('alert');
    ok(/its retest plan is not approved/.test(await refusal.textContent()),
        'a retest by a plan that is not approved is refused', await refusal.textContent());
    await looks(page, 'investigation-holds-retest');
    await refusal.getByRole('link', { name: /investigation/ }).click();
    await page.waitForSelector(`h1.id:has-text("${one.investigationNumber}")`);
    is(page.url(), at, 'the refusal leads to the investigation');
    await page.locator('.head').getByRole('button', { name: 'Approve the retest plan' }).click();
    const signing = page.getByRole('dialog');
    const seen = await signing.textContent();
    ok([one.title, one.openedValue, 'the raw data', one.hypotheses, one.retestPlan]
        .every((text) => seen.includes(text)), 'what is signed is shown whole', seen);
    await looks(page, 'investigation-plan-signing');
    await ask(page, 'PATCH', `/investigations/${one.id}`, { retestPlan: 'Three of that bottle' });
    await signsWhatIsThere(page, 'Three of that bottle', 'a plan that was changed meanwhile is shown first');
    await until(page, () => /Approved.*by Grace Okafor/.test(
        document.querySelector('.beside')?.textContent), 'it says who approved the plan');
    await until(page, () => ![...document.querySelectorAll('.head button')]
        .some(({ textContent }) => textContent === 'Approve the retest plan'),
    'an approved plan is not approved again');
}

// Closing is signed for all that was found, not for the conclusion alone.
async function listsAll(page, closing) {
    await closing.locator('.lines').waitFor();
    const shown = await closing.textContent();
    const opened = await page.locator('.facts time').first().textContent();
    const one = await ask(page, 'GET', `/investigations/${idIn(page)}`);
    ok([one.openedValue, 'the raw data', one.hypotheses, 'Three of that bottle', one.rootCause ?? '',
        `Opened: ${opened} by `].every((text) => shown.includes(text)),
    'what the signature of the closing covers is listed', shown);
    await looks(page, 'investigation-closing');
}

// The people of a plan have their names as soon as these are read.
async function planOf(page) {
    const letGo = await hold(page, /\/api\/people\?/);
    await page.reload();
    await until(page, () => /Approved.*by \u2026.*written by \u2026/i.test(
        document.querySelector('.beside')?.textContent),
    'a name that is not read yet is no empty text');
    await letGo();
    await until(page, () => /Approved.*by Lena Fischer.*written by Grace Okafor/.test(
        document.querySelector('.beside').textContent),
    'who wrote the retest plan, and who approved it');
}

async function investigations(page) {
    await go(page, 'Investigations');
    await page.waitForSelector('tr.cursor');
    const row = page.locator('tbody tr').filter({ hasText: 'OOS-' }).first();
    ok(/PB CB-\d\d-\d{7}-\w.*Phase 2.*days left/.test(await row.textContent()),
        'what it is about, its phase and its clock', await row.textContent());
    await looks(page, 'investigations');
    await press(page, 'n');
    await page.waitForSelector('.filling');
    ok(page.url().endsWith('/investigations/new'), 'a new one has an address', page.url());
    await looks(page, 'investigation-new');
    await press(page, 'Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await page.getByRole('button', { name: /^Opened/ }).click();
    await until(page, () => [...document.querySelectorAll('tbody tr')].length === 1
        && /CAPA-/.test(document.querySelector('tbody').textContent), 'those of one phase');
    await page.getByRole('button', { name: /^All open/ }).click();
    await row.click();
    await press(page, 'Enter');
    await page.waitForSelector('h1.id:has-text("OOS-")');
    await until(page, () => /Limit/.test(document.querySelector('h2.part')?.textContent)
        && document.querySelector('table[aria-label="Values of the test"] tbody tr'),
    'the value that opened it, and the limit');
    await press(page, 'a');
    const form = page.getByRole('dialog', { name: 'Add an action' });
    await form.getByLabel('What is to be done').fill('Retest from the retained bottle');
    await form.getByRole('button', { name: 'Add an action' }).click();
    await page.getByRole('button', { name: 'Done: Retest from the retained bottle' }).click();
    await page.waitForSelector('[role=dialog] [type=submit]:focus');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Not done: Retest from the retained bottle' }).click();
    await page.waitForSelector('[role=dialog] [type=submit]:focus');
    await press(page, 'Enter');
    await page.getByRole('button', { name: 'Done: Retest from the retained bottle', exact: true }).waitFor();
    is((await ask(page, 'GET', `/investigations/${idIn(page)}`)).actions.at(-1).doneAt, null,
        'an action is done, and not done after all');
    await looks(page, 'investigation');
    const found = await page.textContent('.beside');
    ok(/phase 1: 4 of 8/.test(found), 'what phase 1 looks at', found);
    await planOf(page);
    await press(page, 'e');
    const changing = page.getByRole('dialog');
    await changing.getByLabel('the instrument').check();
    await changing.getByLabel('Retest plan').fill('Two, of the bottle that was kept');
    await changing.getByRole('button', { name: /^Change/ }).click();
    await until(page, () => /phase 1: 5 of 8/.test(document.querySelector('.beside')?.textContent)
        && /bottle that was kept.*Not approved/.test(document.querySelector('.beside').textContent),
    'the check is ticked off, and the plan of the retests, which is not approved any more, beside it');
    await approvingPlan(page);
    await page.getByRole('button', { name: 'Go to the conclusion' }).click();
    await ask(page, 'PATCH', `/investigations/${idIn(page)}`, { title: 'Lead of the plant' });
    const advancing = page.getByRole('dialog');
    await advancing.getByRole('button', { name: /^Go to the conclusion/ }).click();
    await advancing.getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, () => document.querySelector('[role=dialog]')?.textContent
        .includes('Lead of the plant'), 'what was changed meanwhile is shown before the next phase');
    await advancing.getByRole('button', { name: /^Go to the conclusion/ }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).first().waitFor();
    await page.locator('.head').getByRole('button', { name: 'Close', exact: true }).click();
    const closing = page.getByRole('dialog');
    await listsAll(page, closing);
    await closing.getByLabel('Conclusion').fill('The bottle was mislabelled at the plant.');
    await ask(page, 'PATCH', `/investigations/${idIn(page)}`, { title: 'Lead at the plant' });
    await signsWhatIsThere(page, 'Lead at the plant', 'what was changed meanwhile is shown first');
    await until(page, () => /Closed/.test(document.querySelector('.head')?.textContent)
        && /mislabelled/.test(document.querySelector('.beside')?.textContent),
    'it is closed with a conclusion and a signature');
    await page.getByRole('link', { name: /^Signatures 3/ }).waitFor();
    await packaged(page);
}

async function packaged(page) {
    await page.getByRole('button', { name: 'Package', exact: true }).click();
    const archive = page.getByRole('menuitem', { name: 'PDF and records as ZIP archive' });
    is(await page.evaluate(async (href) => {
        const bytes = new Uint8Array(await (await fetch(href)).arrayBuffer());
        return String.fromCharCode(...bytes.slice(0, 2));
    }, await archive.getAttribute('href')), 'PK', 'its package is an archive');
    await page.keyboard.press('Escape');
}

// One person's day at a desk of their own.
async function dayOf(browser, email, work) {
    const here = await desk(browser);
    const { page } = here;

    here.seen.expected.push(/status of 400/, /status of 404/, /status of 412/,
        /status of 409 .*\/retest$/);
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, email);
    await page.waitForSelector('.rail');
    await work(page);
    quiet(here, email);
}

run(async (browser) => {
    await dayOf(browser, mateo, async (page) => {
        await worksheets(page);
        await worksheetOfTest(page);
    });
    await dayOf(browser, priya, async (page) => {
        await confirmations(page);
        await lots(page);
    });
    await dayOf(browser, grace, async (page) => {
        await investigations(page);
        await acceptingLot(page);
        await auditTrail(page);
        await auditInWords(page);
    });
});

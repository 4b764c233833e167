// SPDX-License-Identifier: Apache-2.0
//
// Signing in, the list of samples, one sample.
import { readAgain } from './read_again.mjs';
import { shortcutsOff } from './shortcuts_off.mjs';
import { ask, desk, is, looks, ok, open, press, quiet, run, scan, signIn,
    until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const cursor = (page) => page.textContent('tr.cursor th');
const rows = (page) => page.locator('table[role=grid] tbody tr').count();

async function signingIn(page) {
    await open(page);
    await page.waitForSelector('#email');
    await until(page, () => performance.getEntriesByType('resource')
        .some(({ name }) => /\/list-\w+\.js$/.test(name)),
    'the first page is loaded while one signs in');
    await looks(page, 'sign-in');
    await signIn(page, lena, 'not the password');
    await page.waitForSelector('[role=alert]');
    ok(/wrong/.test(await page.textContent('[role=alert]')), 'a wrong password is told');
    await looks(page, 'sign-in-refused');
    await signIn(page, lena);
    await page.waitForSelector('tr.cursor');
    ok(page.url().endsWith('/app/verify'), 'the first page of her role', page.url());
    ok(/Cedar Basin/.test(await page.title()), 'the title names the laboratory');
}

// The first list loads little; other pages are loaded when they are opened.
async function weight(page) {
    const scripts = await page.evaluate(() => performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .map(({ name, encodedBodySize }) => ({ name, size: encodedBodySize })));
    const bytes = scripts.reduce((sum, { size }) => sum + size, 0);
    ok(bytes > 0 && bytes <= 250_000, `${Math.round(bytes / 1000)} kB of script to the first list`,
        JSON.stringify(scripts));
    await page.locator('.rail').getByRole('link', { name: 'Samples', exact: true }).click();
    await until(page, () => document.querySelector('h1')?.textContent === 'Samples',
        'the list of samples');
    await page.waitForSelector('tr.cursor');
}

async function missing(page) {
    await page.route('**/assets/worklist-*', (route) => route.abort());
    await page.getByRole('link', { name: 'Worklist' }).click();
    await until(page, () => /could not be loaded/.test(document.querySelector('main')?.textContent),
        'a page that cannot be loaded says so');
    await looks(page, 'part-missing');
    await page.unroute('**/assets/worklist-*');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await until(page, () => document.querySelector('h1')?.textContent === 'Worklist',
        'the page is there when it can be loaded');
}

// A record that is not there, or is another laboratory's.
async function unknown(page) {
    for (const [path, name] of [['samples', 'Samples'], ['sample-tests', 'Samples'],
        ['approvals', 'Approvals'], ['qc-batches', 'QC batches'], ['worksheets/of', 'Worklist']]) {
        await open(page, `/app/${path}/999999999`);
        await page.locator('main .nothing').waitFor();
        ok(await page.locator('main').getByRole('link', { name: `Go to ${name}` }).isVisible(),
            `${path} that is not there leads to the list`, await page.textContent('main'));
        ok(!/organization|resource/i.test(await page.textContent('main')),
            `${path} that is not there: no organization and no resource, as programs have, is named`,
            await page.textContent('main'));
    }
    is(await page.getByRole('button', { name: 'Begin the worksheet' }).count(), 0,
        'no worksheet is begun for a test that is not there');
    await open(page, '/app/sample-tests/999999999');
    await page.locator('main .nothing').waitFor();
    is((await page.textContent('.rail [aria-current]')).trim(), 'Samples',
        'the rail says where a test belongs');
    await looks(page, 'unknown-record');
}

async function list(page) {
    await until(page, () => document.querySelectorAll('tbody tr').length > 40, 'the list');
    const shown = await page.textContent('table[role=grid] tbody');
    ok(/In progress \d+ of \d+/.test(shown), 'the list shows how far a sample has come');
    ok(/Blocked \d+/.test(shown), 'the list shows how much blocks a sample');
    ok(/OOS/.test(shown), 'the list flags results out of specification');
    await looks(page, 'samples');
    const first = await cursor(page);
    await press(page, 'j', 'j');
    const third = await cursor(page);
    ok(first !== third, 'j moves the cursor', first, third);
    await press(page, 'k', 'ArrowDown');
    is(await cursor(page), third, 'k goes back, arrows move likewise');
    await press(page, 'x');
    await press(page, 'Shift+ArrowDown');
    is(await page.locator('tr[aria-selected=true]').count(), 2, 'x selects, Shift+arrow a range');
    ok(/2 selected/.test(await page.textContent('.statusline')), 'the foot says how many');
    await press(page, 'Escape');
    is(await page.locator('tr[aria-selected=true]').count(), 0, 'Escape clears the selection');
    await press(page, 'Space');
    await page.waitForSelector('.peek .findings, .peek .section');
    ok((await page.textContent('.peek h2')).includes(await cursor(page)), 'Space peeks at the row');
    await looks(page, 'samples-peek');
    await press(page, 'Escape');
    is(await page.locator('.peek').count(), 0, 'Escape closes the peek');
}

// The open tests of the selected samples are assigned to a person.
async function assigning(page) {
    await page.locator('tr', { hasText: 'Review' }).first().click();
    await press(page, 'x');
    await page.getByRole('button', { name: 'Assign 1 sample' }).click();
    await page.selectOption('#chosen', { label: 'Mateo Ortiz' });
    await page.locator('[role=dialog] [type=submit]').click();
    await until(page, () => /open tests of 1 sample are assigned/.test(
        document.querySelector('.said')?.textContent), 'work is given to a person');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    const { data: people } = await ask(page, 'GET', '/people?limit=500');
    const person = people.find(({ displayName }) => displayName === 'Mateo Ortiz');
    const { data } = await ask(page, 'GET', `/sample-tests?assignedTo=${person.id}&limit=200`);
    const name = await cursor(page);
    const { data: [sample] } = await ask(page, 'GET', `/samples?trackingId=${name}`);
    ok(data.some(({ sampleId }) => sampleId === sample.id), 'the tests of the sample are assigned to that person', name);
    await press(page, 'Escape');
}

// A view is its address, under a name, for everybody where that is wanted.
async function views(page) {
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.fill('#reason', 'What stands still');
    await page.getByLabel('Everybody of the laboratory').check();
    await page.focus('#reason');
    await page.keyboard.press('Enter');
    await until(page, () => /What stands still. is saved/.test(
        document.querySelector('.said')?.textContent), 'a view is saved');
    const { data } = await ask(page, 'GET', '/saved-views?page=samples');
    ok(data.some(({ name, shared, query }) => name === 'What stands still' && shared
        && query === '?releaseState=blocked'), 'the saved view has its filters, and is shared',
    JSON.stringify(data));
    await page.locator('.head').getByRole('button', { name: 'What stands still' }).click();
    await page.getByRole('menuitem', { name: 'Delete views…' }).click();
    await page.getByLabel('What stands still (shared)').check();
    await page.getByRole('button', { name: 'Delete saved views' }).click();
    await until(page, () => /1 saved view deleted/.test(document.querySelector('.said')?.textContent),
        'a saved view is deleted');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
}

async function filters(page) {
    await page.waitForSelector('.states b');
    const blocked = page.getByRole('button', { name: /^Blocked/ });
    const count = Number(await blocked.locator('b').textContent());
    await blocked.click();
    await until(page, () => [...document.querySelectorAll('table[role=grid] tbody tr')]
        .every((row) => row.textContent.includes('Blocked')), 'the blocked ones alone');
    is(await rows(page), count, 'as many samples are shown as the count says');
    ok(page.url().includes('releaseState=blocked'), 'the filter stands in the address');
    const csv = await page.getAttribute('a[download]', 'href');
    ok(csv.endsWith('/api/samples/export?disposition=active%2Con_hold&releaseState=blocked'),
        'the CSV is as filtered', csv);
    await page.reload();
    await page.waitForSelector('tr.cursor');
    is(await page.locator('.chip').count(), 1, 'the address brings the filter back');
    await views(page);
    await press(page, 'f');
    await page.getByLabel('Begins with').fill('no such sample');
    await press(page, 'Enter');
    await page.waitForSelector('.nothing');
    await until(page, () => /0 of \d+ fit these filters/.test(document.querySelector('.nothing')
        ?.textContent), 'nothing fits, of how many');
    await looks(page, 'samples-filtered-empty');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.waitForSelector('tr.cursor');
    const row = page.locator('tr.cursor');
    const before = await row.textContent();
    await press(page, 'j', 'j', 'j', 'Enter');
    await page.waitForSelector('h1.id');
    await page.goBack();
    await page.waitForSelector('tr.cursor');
    ok(before !== await row.textContent(), 'Back finds the row that was left');
    await byName(page);
}

const chip = (page, text) => until(page, (expected) => [...document.querySelectorAll('.chip')]
    .some(({ textContent }) => textContent.startsWith(expected)), `filtered by ${text}`, text);

// Filters take names, of a client for instance, and the number of an order.
async function byName(page) {
    const first = async (path) => (await ask(page, 'GET', `${path}?limit=1`)).data[0];
    const { id: clientId, name } = await first('/clients');
    const { id: materialTypeId } = await first('/material-types');
    const { id: definitionId } = await first('/test-definitions');
    const { order: { id, orderNumber } } = await ask(page, 'POST', '/orders', { clientId, samples: [
        { materialTypeId, priority: 'routine', testDefinitionIds: [definitionId] }] });
    const filter = async (title, give) => {
        await press(page, 'f');
        await page.locator('.popover select').first().selectOption({ label: title });
        await give(page.locator('.popover [name=value]'));
        await page.locator('.popover [type=submit]').click();
    };
    await filter('Client', async (field) => {
        const option = field.locator('option', { hasText: name });
        await field.selectOption(await option.first().getAttribute('value'));
    });
    await chip(page, 'Client: ');
    ok((await page.textContent('.chip')).includes(name),
        'the filter shows the name of the client', name);
    await until(page, (expected) => {
        const rows = [...document.querySelectorAll('table[role=grid]:not(.dim) tbody tr')];
        return rows.length > 0 && rows.every((row) => row.textContent.includes(expected));
    }, 'all rows have the client of the filter', name);
    await filter('Order', (field) => field.fill('no such order'));
    await until(page, () => /No order has the number no such order/.test(
        document.querySelector('.said')?.textContent), 'an unknown order is told');
    await filter('Order', (field) => field.fill(orderNumber));
    await chip(page, `Order: ${orderNumber}`);
    ok(page.url().includes(`orderId=${id}`), 'the filter by an order is in the address', page.url());
    await registeredToday(page, filter);
    await page.goto(page.url().replace(/\?.*/, ''));
    await page.waitForSelector('tr.cursor');
    await severalStatuses(page);
}

// Samples that nobody has received yet are registered, too; a day is that of the laboratory.
async function registeredToday(page, filter) {
    const day = new Intl.DateTimeFormat('sv', { timeZone: 'America/Denver' }).format();
    await filter('Registered since', (field) => field.fill(day));
    await until(page, (day) => location.search.endsWith(`&registeredSince=${day}`) && document
        .querySelectorAll('table[role=grid]:not(.dim) tbody tr').length === 1 && document
        .querySelector('.states b')?.textContent === '1', 'a sample not received is listed', day);
    ok(/registeredSince=[-\d]+T0[67]%3A00%3A00.000Z/.test(await page.locator('a[download]').first()
        .getAttribute('href')), 'the CSV is from the midnight of the laboratory on');
}

// A filter by several statuses leaves the samples of each of them, and is changed where it was set.
async function severalStatuses(page) {
    const statusFilter = async () => {
        await press(page, 'f');
        await page.locator('.popover select').selectOption({ label: 'Status' });
        return page.locator('.popover');
    };
    const listed = async (query) => (await ask(page, 'GET',
        `/samples?${query}&disposition=active,on_hold&order=-id&limit=50`)).data;
    const popover = await statusFilter();
    await popover.getByLabel('received', { exact: true }).check();
    await popover.getByLabel('processing', { exact: true }).check();
    await popover.locator('[type=submit]').click();
    await chip(page, 'Status: received, processing');
    const both = await listed('status=received,processing');
    ok(new Set(both.map(({ status }) => status)).size === 2, 'there are samples of both statuses');
    await until(page, (expected) => [...document.querySelectorAll(
        'table[role=grid]:not(.dim) tbody th')].map((cell) => cell.textContent.trim()).join()
        === expected, 'samples of either status are listed, and no others',
    both.map(({ trackingId }) => trackingId).join());
    const again = await statusFilter();
    ok(await again.getByLabel('received', { exact: true }).isChecked(),
        'the statuses of now are ticked');
    await looks(page, 'samples-statuses');
    await again.getByLabel('received', { exact: true }).uncheck();
    await again.locator('[type=submit]').click();
    await chip(page, 'Status: processing');
    is(new URL(page.url()).searchParams.get('status'), 'processing', 'one of them is left');
    await page.getByRole('button', { name: /^Remove/ }).click();
    await until(page, () => !document.querySelector('.chip'), 'the filter is removed');
}

// An act on several samples, of which one is refused by now: what is said of it leads to what
// clears the refusal.
async function leadsFromToast(page) {
    await open(page, '/app/samples?releaseState=ready_for_review');
    await page.waitForSelector('tr.cursor');
    const { data } = await ask(page, 'GET', '/samples?releaseState=ready_for_review'
        + '&status=received,processing&disposition=active&order=-id');
    const two = data.slice(0, 2);
    is(two.length, 2, 'two samples are worked on to their end');
    for (const { trackingId } of two) {
        await page.getByLabel(`Select ${trackingId}`).check();
    }
    const { data: definitions } = await ask(page, 'GET', '/test-definitions?code=HG');
    await page.getByRole('button', { name: 'Complete 2 samples' }).click();
    await page.waitForSelector('[role=dialog] [type=submit]');
    await ask(page, 'POST', `/samples/${two[0].id}/tests`,
        { testDefinitionIds: [definitions[0].id], reason: 'Asked for by telephone' });
    await page.locator('[role=dialog] [type=submit]').click();
    await until(page, () => /1 sample completed.*1 was refused/.test(
        document.querySelector('.said')?.textContent), 'one is completed, and one refused');
    await looks(page, 'samples-toast');
    await page.locator('.said').getByRole('link', { name: 'Go to the test' }).click();
    await until(page, (id) => location.pathname === `/app/samples/${id}`
        && document.querySelector('tr:target') !== null, 'the refusal leads to the test without a result',
    two[0].id);
    is(await page.locator('.said .banner').count(), 0, 'a refusal that was followed is said no more');
}

const fact = (page, name) => page.locator('.facts button', { hasText: `Change ${name}` });

// A fact is changed where it stands; why, where the laboratory asks; and not over what
// somebody else wrote in between.
async function facts(page) {
    const said = (text) => until(page, (expected) => [...document.querySelectorAll('.facts dd')]
        .some(({ textContent }) => textContent.startsWith(expected)), `the fact is ${text}`, text);
    await fact(page, 'external id').focus();
    await press(page, 'F2');
    await page.waitForSelector('.inline input:focus');
    await page.keyboard.insertText('COC-7');
    await press(page, 'Enter');
    await page.waitForSelector('.inline [name=reason]:focus');
    ok(/reason_required/.test(await page.textContent('.inline [role=alert]')),
        'the laboratory wants to know why');
    await looks(page, 'sample-fact');
    await page.fill('.inline [name=reason]', 'Misread');
    await page.keyboard.press('Enter');
    await said('COC-7');
    const id = Number(page.url().match(/samples\/(\d+)/)[1]);
    await fact(page, 'external id').press('Enter');
    await page.waitForSelector('.inline input:focus');
    await ask(page, 'PATCH', `/samples/${id}`, { externalId: 'COC-8', reason: 'Read again' });
    await page.keyboard.insertText('COC-9');
    await press(page, 'Enter');
    await page.waitForSelector('[role=dialog] .versions');
    ok(/COC-7.*COC-8.*COC-9/s.test(await page.textContent('.versions tbody')),
        'what it was, theirs and mine', await page.textContent('.versions'));
    await looks(page, 'sample-fact-conflict');
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await said('COC-8');
    await press(page, 'e');
    await page.waitForSelector('.form input:focus');
    ok(page.url().endsWith('/edit'), 'all facts have a form', page.url());
    await looks(page, 'sample-edit');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('[role=dialog]'), 'Escape closes it');
}

// A finding that is work still to be done links to the test; a test links to its investigation,
// whose form it fills in.
async function leading(page) {
    ok(/\d+ \w+ (left )?of \d+ d/.test(await page.textContent('.tall tbody')),
        'how much of the holding time is used', await page.textContent('.tall tbody'));
    ok(await page.locator('.tall .used rect').count() > 0, 'the holding time is shown as a bar, too');
    await page.locator('.beside').getByRole('link', { name: 'Go to the test' }).first().click();
    await until(page, () => document.querySelector('tr:target')?.id.startsWith('test-'),
        'a finding leads to its test');
    const id = await page.evaluate(() => document.querySelector('tr:target').id.slice(5));
    await page.locator('tr:target').getByRole('button', { name: /^Acts on/ }).click();
    await page.getByRole('menuitem', { name: 'Open an investigation' }).click();
    await page.waitForSelector('.form input');
    ok(page.url().endsWith(`&sampleTestId=${id}`), 'an investigation of the test is opened', page.url());
    await page.goto(page.url().replace(/investigations.*/, `sample-tests/${id}`));
    await until(page, (expected) => document.querySelector('tr:target')?.id === expected,
        'the address of a test is its line in its sample', `test-${id}`);
}

async function files(page) {
    await page.locator('.tabs').getByRole('link', { name: 'Files' }).click();
    await page.setInputFiles('input[type=file]', [
        { name: 'custody.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(2048, 'x') },
        { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ]);
    await until(page, () => /custody.pdf/.test(document.querySelector('.pane table')?.textContent),
        'a chosen file is attached');
    await until(page, () => /1 file attached.*1 was refused.*empty\.txt/.test(
        document.querySelector('.said').textContent), 'a refused file is named');
    await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['7.10\n'], 'readings.csv', { type: 'text/csv' }));
        document.querySelector('.drop').dispatchEvent(
            new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await until(page, () => /Files 2/.test(document.querySelector('.tabs').textContent),
        'a dropped one too, as the tab counts');
    await page.getByRole('button', { name: 'Acts on custody.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Withdraw custody.pdf' }).click();
    await page.fill('#reason', 'Belongs to another sample');
    await press(page, 'Enter');
    await until(page, () => /Belongs to another sample/.test(
        document.querySelector('.pane table')?.textContent), 'it is withdrawn with a reason');
    await looks(page, 'sample-files');
    const href = await page.getByRole('link', { name: 'readings.csv' }).getAttribute('href');
    const file = await page.context().request.get(new URL(href, page.url()).href);
    is(await file.text(), '7.10\n', 'it is downloaded as it came');
    ok(/^attachment.*readings/.test(file.headers()['content-disposition']),
        'the file is sent as an attachment');
}

// A list of a record that has more lines than are shown says so, and shows them.
async function many(page) {
    const { data: [sample] } = await ask(page, 'GET', '/samples?limit=1');
    for (let no = 1; no <= 101; no++) {
        await ask(page, 'POST', '/comments', { on: { table: 'sample', id: sample.id },
            text: `Reading ${no}` });
    }
    await open(page, `/app/samples/${sample.id}/comments`);
    await page.getByText('Reading 99', { exact: true }).waitFor();
    is(await page.getByText('Reading 101', { exact: true }).count(), 0, 'a list begins with a hundred lines');
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await page.getByText('Reading 101', { exact: true }).waitFor();
    await until(page, () => !document.querySelector('.pane').textContent.includes('Show 100 more'),
        'the further lines are shown when they are asked for');
}

async function record(page) {
    await open(page, '/app/samples?q=NPDES001-EFF-001');
    await page.waitForSelector('tr.cursor');
    const name = await cursor(page);
    await press(page, 'Enter');
    await page.waitForSelector('.tall tbody tr');
    is(await page.textContent('h1'), name, 'Enter opens the sample');
    await page.waitForSelector('.beside .findings, .beside .section');
    await looks(page, 'sample');
    await facts(page);
    await leading(page);
    for (const tab of ['Approvals', 'Investigations', 'Certificates', 'History', 'Signatures',
        'Files', 'Comments']) {
        await page.locator('.tabs').getByRole('link', { name: new RegExp(`^${tab}( |$)`) })
            .click();
        await page.waitForSelector('.pane table:not([aria-hidden]), .pane .nothing');
        is(await page.locator('.nothing[role=alert]').count(), 0, `${tab} are shown`);
    }
    await files(page);
    await open(page, '/app/samples/999999');
    await page.waitForSelector('[role=alert]');
    ok(/not_found 404/.test(await page.textContent('[role=alert]')), 'an unknown sample is refused');
    const { data: [test] } = await ask(page, 'GET', '/sample-tests?limit=1&status=verified');
    await open(page, `/app/sample-tests/${test.id}`);
    await page.waitForSelector('.tall tbody tr');
    await looks(page, 'sample-of-test');
    await open(page, '/app/users');
    await page.waitForSelector('[role=alert]');
    ok(/may manage users.*these roles may: Administrator, System administrator/s.test(
        await page.textContent('[role=alert]')), 'a page that she may not open says who may');
    await looks(page, 'not-permitted');
    await open(page, '/app/nowhere');
    await page.locator('main .nothing').waitFor();
    await looks(page, 'no-page');
}

// A sample is cancelled, taken back and rejected, each with its reason.
async function disposing(page) {
    const { data: [{ id }] } = await ask(page, 'GET',
        '/samples?status=received&disposition=active&limit=1');
    const head = page.locator('.head');
    await open(page, `/app/samples/${id}`);
    for (const [title, disposition, rare] of [
        ['Cancel 1 sample', 'cancelled', true], ['Take 1 sample back to work', 'active', false],
        ['Reject 1 sample', 'rejected', true]]) {
        if (rare) {
            await head.getByRole('button', { name: 'More' }).click();
        }
        await (rare ? page.getByRole('menuitem', { name: title })
            : head.getByRole('button', { name: title })).click();
        await page.fill('#reason', `It was leaking: ${disposition}`);
        await press(page, 'Enter');
        await page.locator('[role=dialog]').waitFor({ state: 'detached' });
        is((await ask(page, 'GET', `/samples/${id}`)).disposition, disposition,
            `${title} does what it says`);
    }
}

async function scanning(page) {
    const { data: places } = await ask(page, 'GET', '/storage-locations?limit=50');
    const place = places.find(({ code }) => code === 'BATH-445');
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await scan(page, place.code);
    await until(page, (id) => location.pathname.endsWith(`/reference/storage-locations/${id}`),
        'the label of a storage place opens the place', place.id);
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    const name = await page.textContent('tbody tr:nth-child(5) th');
    await scan(page, name);
    await until(page, (expected) => document.querySelector('h1.id')?.textContent === expected,
        'a scan opens its sample wherever the focus is', name);
    is(await page.locator('[role=dialog]').count(), 0, 'the scan fires no shortcut');
    await page.getByRole('link', { name: 'Comments', exact: true }).click();
    await page.fill('#comment', 'Called the client');
    await page.focus('#comment');
    await scan(page, `${name.slice(0, -1)}${name.endsWith('7') ? '8' : '7'}`);
    await until(page, () => /check character/.test(document.querySelector('.said')?.textContent),
        'a wrong check character is told');
    is(await page.inputValue('#comment'), 'Called the client', 'the scan fills no field');
}

// Records of one name are chosen from, in words; what has no page leads nowhere.
async function ofOneName(page) {
    const find = (url) => url.pathname.endsWith('/api/lookup');
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await page.route(find, (route) => route.fulfill({ json: { mistyped: false, data: [
        { noun: 'qc-batch', id: 1, name: 'NO3' }, { noun: 'something', id: 2, name: 'NO3' }] } }));
    await page.fill('[name=scan]', 'NO3');
    await page.press('[name=scan]', 'Enter');
    await page.waitForSelector('.found li');
    is((await page.locator('.found a').allInnerTexts()).join(), 'NO3 QC batch',
        'a record that has a page is a link, with the word for its kind');
    ok(/NO3.*has no page/s.test(await page.locator('.found li').nth(1).innerText()),
        'a record without a page says so, and is no link');
    await looks(page, 'scan-several');
    await page.locator('.found a').click();
    await until(page, () => location.pathname.endsWith('/qc-batches/1'), 'the chosen one is opened');
    await page.unroute(find);
}

const rowHasFocus = (page, when) => until(page,
    () => document.activeElement?.matches('tr.cursor'), `the cursor's row has the focus ${when}`);

async function keys(page) {
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Control+a');
    await until(page, () => {
        const all = [...document.querySelectorAll('table[role=grid] tbody tr')];
        return all.length > 40 && all.every(({ ariaSelected }) => ariaSelected === 'true');
    }, 'Ctrl+A selects all rows');
    await press(page, 'Control+a');
    is(await page.locator('tbody tr[aria-selected=true]').count(), 0,
        'no row is selected any more');
    await page.getByRole('link', { name: 'Worklist' }).focus();
    await press(page, 'j');
    await rowHasFocus(page, 'after a key that moves it');
    await press(page, 'Control+k', 'Escape');
    await rowHasFocus(page, 'when a dialog was closed');
    await press(page, '?');
    await page.waitForSelector('[role=dialog]');
    await looks(page, 'key-help');
    await press(page, 'Escape');
    await until(page, () => !document.querySelector('[role=dialog]'), 'Escape closes the keys');
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await page.keyboard.insertText('hold');
    ok(/on hold/.test(await page.textContent('#quick')), 'quick actions find an action');
    await looks(page, 'quick-actions');
    await press(page, 'Enter');
    await page.waitForSelector('#reason');
    await looks(page, 'reason');
    await press(page, 'Escape');
    await rowHasFocus(page, 'when a dialog that followed another was closed');
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await page.keyboard.insertText('hold');
    await press(page, 'Enter');
    await page.waitForSelector('#reason');
    const name = await page.textContent('.lines li');
    await page.keyboard.insertText('The client asked us to wait');
    await press(page, 'Enter');
    await until(page, () => /1 sample put on hold/.test(document.body.textContent),
        'a reason puts the sample on hold');
    await rowHasFocus(page, 'after the act');
    await open(page, '/app/samples?disposition=on_hold');
    await page.waitForSelector('tr.cursor');
    ok((await page.textContent('tbody')).includes(name), 'the list of samples on hold has the sample');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;
    here.seen.expected.push(/status of 403/, /status of 404/, /status of 400/, /status of 409/,
        /status of 412/, /net::ERR_FAILED/,
        /Failed to fetch dynamically imported module/);

    await signingIn(page);
    await weight(page);
    await list(page);
    await assigning(page);
    await filters(page);
    await leadsFromToast(page);
    await record(page);
    await many(page);
    await scanning(page);
    await ofOneName(page);
    await keys(page);
    await disposing(page);
    await readAgain(page);
    await shortcutsOff(page);
    await missing(page);
    await unknown(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Works in the middle of which a fault strikes: entering a result, signing some, registering
// an order.
import { act, press, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const mateo = 'mateo.ortiz@cedarbasin.example';
const yuki = 'yuki.tanaka@cedarbasin.example';
const ben = 'ben.walsh@cedarbasin.example';

export const count = async (...query) => Number((await act('rows', ...query))[0][0]);
export const show = (page, path) => page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
}, path);

const first = 'tr[data-row="0"] td[data-column="0"]';
const cell = `${first} input`;
const inFirst = (page) => page.evaluate((place) => {
    const found = document.querySelector(place);
    return found.querySelector('input')?.value ?? found.innerText.trim();
}, first);

// Writes into a cell of the first row, once the cursor stands in it.
async function write(page, column, text) {
    const place = `tr[data-row="0"] td[data-column="${column}"]`;
    await page.click(place);
    await page.waitForSelector(`${place}.editing`);
    await page.keyboard.insertText(text);
}

// Each: what is typed, the request that carries it, what sends it (again), when the page says
// that it is done or that it is not, and how often it stands in the database. Where another
// browser is first: who is there, what that one sends, when the page says so, and how one
// goes on (and how often one's own is done then).
const entering = {
    name: 'a result is entered',
    person: mateo,
    request: '**/api/sample-tests/bulk-results',
    async type(page, n) {
        await show(page, '/app/bench/method/EPA%20300.0');
        await page.waitForSelector(cell);
        await page.focus(cell);
        await page.keyboard.type(this.value(n), { delay: 50 });
        await page.waitForSelector('td.editing .mark');
    },
    typed: inFirst,
    value: (n) => `0.4${n}`,
    send: (page) => press(page, 'Control+s'),
    done: () => [...document.querySelectorAll('.head .btn')]
        .some((one) => /All is saved/.test(one.textContent)),
    told: () => /next try|cannot be reached/.test(
        document.querySelector('.statusline')?.textContent ?? ''),
    count: (result) => count(`SELECT count(*) FROM lims.audit_entry
        WHERE table_name = 'sample_test' AND changes -> 'result' ->> 'new' = ?
            AND surface = 'application'`, result),
    expected: 1,
    other: yuki,
    theirs: '0.90',
    theirBody: ({ updates }, result) =>
        ({ updates: updates.map((update) => ({ ...update, result })) }),
    overtaken: () => /Take theirs/.test(document.querySelector('.foot')?.textContent),
    async decide(page) {
        await page.getByRole('button', { name: 'Keep mine' }).click();
        await this.send(page);
        await until(page, this.done, 'a result of mine can be kept');
        return 1;
    },
};

async function codesTicked(page) {
    await show(page, '/app/verify');
    await page.waitForSelector('tbody input:checked');
    const codes = await page.locator('tbody tr:has(input:checked) td:nth-child(4)')
        .allTextContents();
    return [...new Set(codes)];
}

const signing = {
    name: 'results are signed',
    person: lena,
    request: '**/api/sample-tests/verify',
    // Each time those of another test of which some need no look.
    async type(page, n) {
        this.codes ??= await codesTicked(page);
        const code = this.codes.shift();
        const [[id]] = await act('rows', `SELECT d.id FROM lims.test_definition d
            JOIN lims.organization o ON o.id = d.organization_id
            WHERE o.code = 'cedar-basin' AND d.code = ?`, code);
        await show(page, `/app/verify?testDefinitionId=${id}`);
        await until(page, (expected) => {
            const shown = [...document.querySelectorAll('tbody tr:has(input)')];
            return shown.length > 0 && shown.every(({ cells }) => cells[3].textContent === expected);
        }, `results of ${code} wait to be verified`, code);
        this.expected = await page.locator('tbody input:checked').count();
        await press(page, 'V');
        await page.waitForSelector('#sign');
        await page.fill('#reason', this.value(n));
        await page.fill('#sign', process.env.LIMS_PASSWORD);
    },
    typed: (page) => page.inputValue('#reason'),
    value: (n) => `Compared with the raw data ${n}`,
    send: (page) => page.press('#sign', 'Enter'),
    done: () => !document.querySelector('[role=dialog]'),
    told: () => document.querySelector('#refusal') !== null,
    count: (reason) => count('SELECT count(*) FROM lims.electronic_signature WHERE reason = ?',
        reason),
    other: lena,
    theirs: 'Compared in the other browser',
    theirBody: (body, reason) => ({ ...body, reason }),
    overtaken: () => document.querySelector('[role=dialog] tr.stop') !== null,
    async decide(page) {
        await press(page, 'Escape');
        await until(page, this.done, 'the dialog of an overtaken signature is left');
        return 0;
    },
};

const registering = {
    name: 'an order is registered',
    person: ben,
    request: '**/api/orders',
    async type(page, n) {
        await show(page, '/app/orders/new');
        await page.waitForSelector('.grid .editing');
        await page.fill('[name=client]', 'Mesa Verde Water District');
        await page.fill('[name=tests]', 'PB, CU');
        await page.fill('[name=material]', 'Drinking water');
        await page.fill('[name=collected]', '2026-11-02');
        await write(page, 3, '06:15');
        await this.identify(page, `COC-FAULT-${n}`);
        await write(page, 0, this.value(n));
    },
    identify: (page, externalId) => write(page, 5, externalId),
    typed: inFirst,
    value: (n) => `Tap of fault ${n}`,
    send: (page) => press(page, 'Control+Enter'),
    done: () => document.querySelector('h1.id') !== null,
    told: () => /not be reached|not reached/.test(
        document.querySelector('.filters [role=alert]')?.textContent ?? ''),
    count: (location) => count('SELECT count(*) FROM lims.sample WHERE plant_location = ?',
        location),
    expected: 1,
    other: ben,
    theirs: 'Tap of the other browser',
    theirBody: (body, plantLocation) =>
        ({ ...body, samples: body.samples.map((sample) => ({ ...sample, plantLocation })) }),
    overtaken: () => /External id.*has this value already/.test(
        document.querySelector('.problems')?.textContent),
    async decide(page) {
        await this.identify(page, 'COC-FAULT-ANOTHER');
        await this.send(page);
        await until(page, this.done, 'the sample is registered with another external id');
        return 1;
    },
};

export const works = [entering, signing, registering];

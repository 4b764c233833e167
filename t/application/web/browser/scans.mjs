// SPDX-License-Identifier: Apache-2.0
//
// A label is scanned while each kind of what can have the focus has it, on several screens.
import { ask, is, ok, press, readBarcode, until } from './support.mjs';
import { idIn, show } from './screens.mjs';

const kinds = {
    'a link': 'main a[href]:not(.tabs a)',
    'a button': 'main button',
    'a box to tick': 'main input[type=checkbox]',
    'a tab': 'main .tabs a, main [role=tab]',
    'a field to search in': 'main input[type=search]',
    'a date': 'main input[type=date], main input[type=datetime-local]',
    'a list of choices': 'main select',
    'a field': 'main input:not([type]), main input[type=text], main textarea',
    'a row': 'main tr.cursor',
};

const screensOf = async (page) => ['/app/samples', `/app/samples/${await idIn(page, 'samples')}`,
    '/app/worklist', '/app/verify', '/app/approvals', '/app/certificates',
    `/app/media-lots/${await idIn(page, 'media-lots')}`, '/app/media-lots/new', '/app/audit',
    '/app/turnaround', '/app/orders/new', '/app/reference/clients'];

// The bench has what no other screen has: cells, and records that are picked outside a form.
const ofBench = {
    'a cell': '.grid td input',
    'a picker of a lot': 'main .run select',
    'a time of the run': 'main .run input',
};

// As far as a person has filled it.
const valueOf = ({ checked, value }) => JSON.stringify({ checked, value });

async function scanAt(page, place, kind, selector, label) {
    const at = page.locator(selector).and(page.locator(':visible:not(:disabled)')).first();
    if (await at.count() === 0) {
        return false;
    }
    // The scan leads to another screen, and the element is looked at after it was left.
    const element = await at.elementHandle();
    await element.focus();
    const before = await element.evaluate(valueOf);
    await readBarcode(page, label);
    const found = await page.waitForFunction((text) => window.asked === 0
        && document.querySelector('h1')?.textContent === text, label, { timeout: 15000 })
        .then(() => true, () => false);
    const after = await element.evaluate(valueOf);
    const opened = await page.locator('[role=dialog], [role=listbox], [role=menu]').count();
    ok(found && after === before && opened === 0, `${place}, ${kind}: a scan finds its sample, and`
        + ' fills and opens nothing else', JSON.stringify({ found, before, after, opened }));
    return true;
}

async function scanAtBench(page, label) {
    const bench = '/app/bench/method/EPA%20300.0';
    for (const [kind, selector] of Object.entries(ofBench)) {
        await show(page, bench);
        ok(await scanAt(page, bench, kind, selector, label), `the bench has ${kind}`);
    }
}

// Receiving takes every scan as a bottle, wherever the focus is; here one that was received
// long ago.
async function scanAtReceiving(page, label) {
    const places = ['#scan-next', '.once [inputmode=decimal]', '.once [list]', '.once select',
        '.scans a', '.statusline input'];
    await show(page, '/app/receive');
    for (const [i, selector] of places.entries()) {
        const element = await page.locator(selector).first().elementHandle();
        await element.focus();
        const before = await element.evaluate(valueOf);
        await readBarcode(page, label);
        await until(page, (expected) => document.querySelectorAll('.scans .id').length === expected
            && !document.querySelector('.scans')?.textContent.includes('Sending'),
        `receiving, ${selector}: a scan is a line`, i + 1);
        is(await element.evaluate(valueOf), before, `receiving, ${selector}: a scan fills nothing`);
        is(await page.locator('[role=dialog], [role=listbox], [role=menu]').count(), 0,
            `receiving, ${selector}: a scan opens nothing`);
    }
    is(new URL(page.url()).pathname, '/app/receive', 'a scan leads nowhere from receiving');
}

// A form takes what is scanned as a text, such as an identifier: it picks no record by itself,
// and the Enter behind it does not send the form.
async function scanInForm(page, label) {
    await show(page, '/app/reference/projects');
    await page.getByRole('button', { name: /^Create a project/ }).first().click();
    await page.locator('.filling input[role=combobox]').first().focus();
    await readBarcode(page, label);
    is(await page.getAttribute('.filling', 'aria-busy'), 'false',
        'a scan into a form does not send it');
    await press(page, 'Escape');
}

// On each screen what no two screens before it had; the scan leads to the sample of the label.
export async function scanEverywhere(page) {
    const { data: [{ trackingId }] } = await ask(page, 'GET', '/samples?limit=1&order=-id');
    const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0]));
    const changes = [];
    // The text that stood in a cell for a moment may be judged, which changes nothing.
    const note = (request) => request.method() === 'GET' || request.url().endsWith('/judge')
        || changes.push(`${request.method()} ${request.url()}`);
    page.on('request', note);
    for (const place of await screensOf(page)) {
        for (const kind of Object.keys(kinds).filter((one) => times[one] < 2)) {
            await show(page, place);
            times[kind] += await scanAt(page, place, kind, kinds[kind], trackingId);
        }
    }
    await scanInForm(page, trackingId);
    await scanAtBench(page, trackingId);
    page.off('request', note);
    is(changes.join(', '), '', 'no scan changes anything');
    is(Object.keys(kinds).filter((kind) => times[kind] === 0).join(', '), '',
        'the screens have each kind of what can have the focus');
    const { data: [reported] } = await ask(page, 'GET', '/samples?limit=1&status=reported');
    await scanAtReceiving(page, reported.trackingId);
}

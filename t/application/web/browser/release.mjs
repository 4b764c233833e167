// SPDX-License-Identifier: Apache-2.0
//
// From the approval to the certificate.
import { Acts } from './acts.mjs';
import { ask, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const grace = 'grace.okafor@cedarbasin.example';
const rows = (page) => page.locator('table[role=grid] tbody tr').count();

async function sign(page) {
    await page.fill('#sign', process.env.LIMS_PASSWORD);
    await page.keyboard.press('Enter');
}

const saying = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), `it says: ${text}`, text);

async function deciding(page) {
    await open(page, '/app/approvals');
    await signIn(page, lena);
    await page.waitForSelector('tr.cursor');
    const mine = await rows(page);
    ok(mine > 4, 'the inbox has what she can decide');
    await looks(page, 'approvals');
    const name = await page.textContent('tr.cursor th');
    await press(page, 'Enter');
    await page.waitForSelector('.certificate tbody tr');
    ok((await page.textContent('.certificate')).includes(name), 'what the certificate would say');
    ok(/Draft/.test(await page.textContent('.certificate')), 'the preview is marked as a draft');
    await until(page, () => /Quality assurance approval/.test(
        document.querySelector('.peek')?.textContent), 'the steps of the round stand beside it');
    await looks(page, 'approval');
    await press(page, 'V');
    await page.waitForSelector('#sign');
    is(await page.evaluate(() => document.activeElement?.id), 'sign', 'the cursor is in the password');
    ok(await page.locator('[role=dialog] tbody tr').count() > 0, 'what is signed stands beside the password');
    await page.fill('#text', 'As discussed');
    await sign(page);
    await saying(page, '1 step approved');
    const { data } = await ask(page, 'GET', '/signatures?table=approval&limit=200');
    ok(data.some(({ meaning, act, stands }) => meaning === 'approved' && stands
        && act?.comment === 'As discussed'), 'the approval is signed, with the comment');
    await open(page, '/app/approvals?all=1');
    await page.waitForSelector('tr.cursor');
    ok(await rows(page) > mine - 1, 'all that wait are shown when asked for');
}

// Whoever approves sees all that is printed: below each result, of the amendments, and the rules.
async function whole(page) {
    const preview = '**/certificate-preview';
    await page.route(preview, async (route) => {
        const response = await route.fetch();
        const content = await response.json();
        const [first, ...others] = content.results;
        await route.fulfill({ response, json: { ...content,
            receipt: { ...content.receipt, receivedBy: 'Maya Torres', containers: 3 },
            results: [{ ...first, result: '<0.5', qualifier: '<', reportingLimit: 0.5,
                uncertainty: '± 0.1', accredited: true, confirmation: 'confirmed',
                holdingTimeMet: false, remark: 'Measured twice.', decisionRule: 'Simple acceptance.' },
            ...others.map((one) => ({ ...one, decisionRule: 'Guard band w = U.' }))],
            amendments: [{ version: 2, reason: 'Typing error', openedBy: 'Ines Kowalski',
                openedAt: '2026-11-26T09:00:00-07:00', changes: [
                    { member: 'plantLocation', old: 'West', new: 'East' },
                    { member: 'tests[101].accredited', testCode: 'PB', old: true, new: false },
                    { member: 'tests[7]', testCode: 'ZN', old: 'ZN', new: null }] }] } });
    });
    await open(page, '/app/approvals?all=1');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Enter');
    await page.waitForSelector('.certificate .noted');
    const said = await page.textContent('.certificate');
    for (const text of ['by Maya Torres', '3 containers', '± 0.1', 'Reporting limit 0.5.',
        'Confirmation: confirmed.', 'The holding time was exceeded.', 'Measured twice.',
        'Simple acceptance.', 'Amendment that led to version 2, opened by Ines Kowalski',
        'Nov 26, 2026 09:00: Typing error', 'Place: West → East', 'PB accredited: yes → no',
        'ZN: ZN → none', 'Accredited: within the scope of accreditation', 'Times are those of ']) {
        ok(said.includes(text), `the preview says what is printed: ${text}`, said);
    }
    ok(!said.includes('<<'), 'the preview has the sign of a value once', said);
    await looks(page, 'approval-whole');
    await page.unroute(preview);
}

async function many(page) {
    await open(page, '/app/approvals');
    await page.waitForSelector('tr.cursor');
    const before = await rows(page);
    await press(page, 'j', 'x', 'j', 'x', 'b');
    await page.waitForSelector('#sign');
    await page.fill('#text', 'The blank is missing');
    await looks(page, 'approvals-reject');
    await sign(page);
    await saying(page, '2 steps rejected');
    await until(page, (count) => document.querySelectorAll('table[role=grid] tbody tr').length
        === count, 'rejected steps leave the inbox', before - 2);
}

// A file on its way to anybody: its bytes, as the signed-in page gets them.
const pdfOf = async (page, id) => Buffer.from(await page.evaluate(async (path) => {
    const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}, `/app/api/certificates/${id}.pdf`), 'base64');

// The document itself, and with one byte changed; the file stays where it is.
async function ofFile(page, document) {
    const requests = [];
    const changed = Buffer.from(document);
    changed[changed.length >> 1] ^= 1;
    const give = (buffer) => page.setInputFiles('#file', { name: 'report.pdf',
        mimeType: 'application/pdf', buffer });
    page.on('request', (request) => requests.push(request));
    await give(document);
    await until(page, () => /report\.pdf is the document that was issued, byte for byte/.test(
        document.querySelector('#file ~ .ready')?.textContent), 'the document is known as it was issued');
    await give(changed);
    await until(page, () => /report\.pdf is not the document/.test(
        document.querySelector('#file ~ [role=alert]')?.textContent), 'one byte changed makes it another file');
    page.removeAllListeners('request');
    is(requests.map((request) => `${request.method()} ${new URL(request.url()).pathname} `
        + `${request.url().length < 300 && request.postDataBuffer() === null}`).join(', '),
    Array(2).fill('GET /app/api/verifications true').join(', '),
    'of a file nothing but its digest is sent');
}

// Anybody who holds a certificate, in a browser in which nobody is signed in.
async function verification({ page }, newest, former, document) {
    await open(page, `/app/verification/${newest}`);
    await until(page, () => /is valid/.test(document.querySelector('[role=status]')?.textContent),
        'a certificate is valid, told without a session');
    await looks(page, 'verification');
    await page.setInputFiles('#file', { name: 'other.pdf', mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.5 changed') });
    await page.waitForSelector('[role=alert]');
    ok(/not the document|no document/.test(await page.textContent('[role=alert]')),
        'another file is not the document');
    await ofFile(page, document);
    await page.fill('#code', former.toLowerCase().replace(/(.{5})(?=.)/g, '$1-'));
    await press(page, 'Enter');
    await until(page, () => /no longer valid: version 2/.test(
        document.querySelector('[role=status]')?.textContent), 'a superseded one says by what');
    await looks(page, 'verification-superseded');
    await page.fill('#code', '0'.repeat(20));
    await press(page, 'Enter');
    await until(page, () => /No certificate has this code/.test(
        document.querySelector('[role=alert]')?.textContent), 'another code is none');
    const text = await page.textContent('main');
    ok(!/CB-26-|Well/.test(text), 'nothing of the client is told');
}

// A PDF that could not be printed says why, and is printed again; one that is there is opened.
async function again(page) {
    await until(page, () => /Could not be printed.*the printer took too long/.test(
        document.querySelector('.peek')?.textContent), 'why there is no PDF');
    await page.getByRole('button', { name: 'Print the PDF again' }).click();
    await saying(page, '1 PDF waits to be printed');
    await until(page, () => /SHA-256 of the file: [0-9a-f]{64}/.test(
        document.querySelector('.peek')?.textContent), 'it is printed again, and shows its digest');
    const link = page.locator('.peek').getByRole('link', { name: /^PDF of COA-/ });
    is(await page.evaluate(async (href) => {
        const got = await fetch(href);
        return `${got.status} ${got.headers.get('Content-Type')}`;
    }, await link.getAttribute('href')), '200 application/pdf', 'the PDF is opened by its link');
    await looks(page, 'certificate-pdf');
}

async function certificates(page) {
    await open(page, '/app/certificates');
    await page.waitForSelector('tr.cursor');
    await until(page, () => {
        const list = document.querySelector('table[role=grid] tbody').textContent;
        return /COA-26-0000001.*CB-26-/.test(list) && /Superseded/.test(list);
    }, 'certificates with their samples');
    await looks(page, 'certificates');
    await page.locator('tr', { hasText: 'Superseded' }).first().dblclick();
    await page.waitForSelector('.certificate tbody tr');
    ok(/address of the laboratory is missing/.test(await page.textContent('.peek')),
        'what a reader will miss');
    is(await page.locator('.head .glyph.reported').count(), 0, 'a superseded version has no seal');
    is(await page.locator('.peek .findings .glyph.reported').count(), 1,
        'among the versions, the one in force has it');
    await again(page);
    await page.locator('.peek').getByRole('link', { name: /version 2$/ }).click();
    await until(page, () => /, version 2/.test(document.querySelector('.head')?.textContent),
        'its other version');
    await looks(page, 'certificate');
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.waitForSelector('.pane table s, .pane .nothing');
    await looks(page, 'certificate-changes');
}

// From their list to the sample that has none: what its certificate would say, and lacks.
async function first(page) {
    await open(page, '/app/certificates');
    await page.waitForSelector('tr.cursor');
    await press(page, 'n');
    await page.waitForSelector('#reason:focus');
    await page.keyboard.insertText('NOWHERE');
    await press(page, 'Enter');
    await page.waitForSelector('#refusal');
    ok(/There is no sample NOWHERE/.test(await page.textContent('#refusal')),
        'a sample that is not there');
    await page.fill('#reason', 'CB-26-0000047-G');
    await press(page, 'Enter');
    await page.waitForSelector('.certificate.draft tbody tr');
    ok(/\/samples\/\d+\/certificates$/.test(page.url()), 'a first certificate begins at its sample',
        page.url());
    ok(/address of the laboratory is missing/.test(await page.textContent('.pane .findings')),
        'the draft says what its reader would miss');
    ok(/Not checked: .*who took the sample/.test(await page.textContent('.pane')),
        'the draft says what is not checked for its reader');
    is(await page.evaluate(async (href) => (await fetch(href)).headers.get('Content-Type'),
        await page.getByRole('link', { name: 'Draft as PDF' }).getAttribute('href')),
    'application/pdf', 'the draft is a PDF as well');
    await looks(page, 'certificate-first');
}

const dialog = (page) => page.locator('[role=dialog]');
const gone = (page) => until(page, () => !document.querySelector('[role=dialog]'),
    'the dialog is closed');

async function approve(page, tracking) {
    await open(page, '/app/approvals');
    await page.waitForSelector('tr.cursor');
    const acts = new Acts();
    await acts.click(page.locator('table[role=grid] tr', { hasText: tracking }).first());
    await acts.press(page, 'V');
    await page.waitForSelector('#sign:focus');
    await acts.type(page, process.env.LIMS_PASSWORD);
    await acts.press(page, 'Enter');
    await saying(page, '1 step approved');
    ok(acts.all <= 5, 'an approval step in five acts at most', acts);
}

// A report is amended from wherever one is: the client wrote which sample, the place is
// another, and the reason is asked for.
async function amended(page, acts) {
    const { data } = await ask(page, 'GET', '/samples?releaseState=reported&order=-id');
    const { trackingId } = data[1];
    await page.evaluate((label) => navigator.clipboard.writeText(label), trackingId);
    await open(page);
    await page.waitForSelector('tr.cursor');
    await acts.press(page, 'Control+v');
    await until(page, (label) => document.querySelector('h1')?.textContent === label,
        'a label that is pasted opens its record', trackingId);
    await acts.press(page, 'a');
    await page.waitForSelector('.corrected input:focus');
    ok(await dialog(page).locator('tbody tr').count() > 0, 'what the signature covers is listed');
    await acts.type(page, 'Well 9 South');
    await acts.press(page, 'Enter');
    await page.waitForSelector('#reason:focus');
    await acts.type(page, 'The client named the wrong well');
    await looks(page, 'amend');
    await page.focus('#reason');
    await acts.press(page, 'Enter');
    await page.waitForSelector('#sign:focus');
    await acts.type(page, process.env.LIMS_PASSWORD);
    await acts.press(page, 'Enter');
    await saying(page, `amendment of ${trackingId} is open`);
    await gone(page);
    return trackingId;
}

// Somebody else tries too soon.
async function blocked(page, tracking) {
    await open(page, '/app/samples?releaseState=reported');
    await page.locator('table[role=grid] tr', { hasText: tracking }).click();
    await press(page, 'i');
    await page.waitForSelector('#sign');
    ok(/Place: .* → Well 9 South/.test(await dialog(page).textContent()),
        'what the next version changes is said', await dialog(page).textContent());
    await sign(page);
    await page.waitForSelector('#refusal a');
    ok(/approval_required/.test(await page.textContent('#refusal')),
        'without its approvals it is not issued');
    await looks(page, 'next-version-refused');
    await page.locator('#refusal a').first().click();
    await page.waitForSelector('.certificate');
    ok(/\/approvals\/\d+$/.test(page.url()), 'the refusal leads to the approvals', page.url());
    await gone(page);
}

// Whoever amends stays where they are, while somebody else approves.
async function amending(page, other) {
    const acts = new Acts();
    const tracking = await amended(page, acts);
    await blocked(other, tracking);
    await approve(other, tracking);
    await approve(other, tracking);
    await acts.press(page, 'i');
    await page.waitForSelector('#sign:focus');
    await acts.type(page, process.env.LIMS_PASSWORD);
    await acts.press(page, 'Enter');
    await saying(page, 'version 2 is issued');
    await until(page, () => /Place.*Well 9 South/s.test(document.querySelector('.pane table')?.textContent),
        'its page shows what changed');
    await looks(page, 'certificate-amended');
    console.log(`# a report amended: ${acts}`);
    ok(acts.all <= 12, 'a report is amended in twelve acts at most', acts);
}

// From the certificate: nothing corrected at once, a result reopened, the amendment refused
// to be withdrawn while it differs.
async function reopening(page) {
    await open(page, '/app/certificates?status=issued');
    await page.locator('table[role=grid] tbody tr', { hasText: 'COA-26-0000001' }).dblclick();
    await page.getByRole('button', { name: /^Amend the report/ }).click();
    await page.waitForSelector('.corrected input:focus');
    await page.fill('#reason', 'The dilution was not considered');
    await sign(page);
    await page.locator('.tabs').getByRole('link', { name: 'Next version' }).click();
    await page.waitForSelector('.certificate.draft tbody tr');
    await until(page, () => /Nothing that the certificate says is different/.test(
        document.querySelector('.pane').textContent),
    'the next version as a draft, beside what it changes');
    await looks(page, 'certificate-next');
    await page.getByRole('link', { name: 'Open the sample' }).click();
    await page.waitForSelector('.tall tbody tr');
    ok(/Being amended: The dilution/.test(await page.textContent('.head')), 'the sample says why');
    await page.locator('.tall tbody tr').first().getByRole('button', { name: /^Acts on/ }).click();
    await page.getByRole('menuitem', { name: /^Reopen/ }).click();
    await page.waitForSelector('#sign');
    await page.fill('#reason', 'To be calculated again');
    await sign(page);
    await saying(page, 'is reopened');
    await until(page, () => /Entered/.test(document.querySelector('.tall tbody tr')?.textContent),
        'the result is no longer verified');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Withdraw the amendment' }).click();
    await page.fill('#reason', 'It was right');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#refusal');
    ok(/amendment_differs/.test(await page.textContent('#refusal')),
        'an amendment that differs is not withdrawn', await page.textContent('#refusal'));
    await page.keyboard.press('Escape');
    await gone(page);
    await page.locator('.tabs').getByRole('link', { name: /^Signatures/ }).click();
    await until(page, () => /reopened/.test(document.querySelector('.pane tbody')?.textContent),
        'its signatures are also those of its tests');
    await looks(page, 'sample-signatures');
    await page.locator('.tabs').getByRole('link', { name: 'Overview' }).click();
    await page.waitForSelector('.tall tbody tr');
    await press(page, 'v');
    await page.waitForSelector('#sign');
    await sign(page);
    await saying(page, '1 result verified');
    await gone(page);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Withdraw the amendment' }).click();
    await page.fill('#reason', 'It was right');
    await page.keyboard.press('Enter');
    await saying(page, 'The amendment is withdrawn');
}

run(async (browser) => {
    const here = await desk(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    const approver = await desk(browser);
    const { page } = here;
    [here, approver].forEach(({ seen }) => seen.expected.push(/status of 409/));

    await deciding(page);
    await whole(page);
    await many(page);
    await certificates(page);
    const { data } = await ask(page, 'GET', '/certificates?limit=200');
    const of = (wanted) => data.find(({ status }) => status === wanted);
    const visitor = await desk(browser);
    visitor.seen.expected.push(/status of 404/);
    await verification(visitor, of('issued').verificationCode,
        of('superseded').verificationCode, await pdfOf(page, of('issued').id));
    quiet(visitor);
    await first(page);
    await open(approver.page);
    await approver.page.waitForSelector('#email');
    await signIn(approver.page, grace);
    await approver.page.waitForSelector('.rail');
    await amending(page, approver.page);
    await reopening(page);
    quiet(here);
    quiet(approver, 'the browser of the other one');
});

// SPDX-License-Identifier: Apache-2.0
//
// Scans wherever the focus is; another person in a second tab, also where no tab hears of the
// other; another person in the same tab.
import { scanEverywhere } from './scans.mjs';
import { watching } from './screens.mjs';
import { act, ask, desk, is, ok, open, press, quiet, readBarcode, run, signIn,
    until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';
const mateo = 'mateo.ortiz@cedarbasin.example';
const omar = 'omar.haddad@cedarbasin.example';
const yuki = 'yuki.tanaka@cedarbasin.example';
const sofia = 'sofia.reyes@harborview.example';
const bench = '/app/bench/method/EPA%20300.0';
const first = 'tr[data-row="0"] td[data-column="0"]';
const rows = (...query) => act('rows', ...query);
const count = async (...query) => Number((await rows(...query))[0][0]);

const verified = () => count('SELECT count(*) FROM lims.electronic_signature');
const failures = (email) => count(`SELECT coalesce(max(s.failures), 0) FROM lims.user_account u
    LEFT JOIN (SELECT user_id, failures FROM lims.account_state
        UNION ALL SELECT user_id, failures FROM lims.sign_in_guess) s ON s.user_id = u.id
    WHERE u.email = ?`, email);
const entries = (email) => count(`SELECT count(*) FROM lims.audit_entry e
    JOIN lims.user_account u ON u.id = e.user_id
    WHERE e.table_name = 'sample_test' AND e.surface = 'application' AND u.email = ?`, email);

const go = (page, place) => page.locator('.rail').getByRole('link', { name: place, exact: true })
    .click();
const busyWith = (page, label, name) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(
        `${expected} was scanned while a question is open`), name, label);
// A question that is sent is busy from the same moment on.
const isSent = async (page) =>
    await page.getAttribute('[role=dialog] form', 'aria-busy') !== 'false';

async function signOut(page) {
    await page.locator('.person').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForSelector('#email');
}

async function toBench(page) {
    await open(page, bench);
    await page.waitForSelector(`${first}.editing input`);
}

const typed = (page) => page.inputValue(`${first} input`);

// --- Scans -----------------------------------------------------------------

async function scanInLists(page, label, second) {
    await press(page, 'f');
    const list = page.getByRole('dialog').getByRole('combobox').first();
    const before = await list.inputValue();
    await list.focus();
    await readBarcode(page, label);
    await busyWith(page, label, 'a scan into a list of choices is told');
    is(await list.inputValue(), before, 'the scan chooses nothing from the list');
    await press(page, 'Escape');
    await page.locator('.person').focus();
    await press(page, 'Enter');
    await page.waitForSelector('[role=menuitem]');
    const place = page.url();
    await readBarcode(page, second);
    await busyWith(page, second, 'a scan over an open menu is told');
    is(page.url(), place, 'a scan chooses nothing in an open menu');
    await press(page, 'Escape');
}

async function scanInReason(page, label) {
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await page.keyboard.insertText('hold');
    await press(page, 'Enter');
    await page.fill('#reason', 'The client');
    await page.focus('#reason');
    const asked = await page.textContent('[role=dialog] .lines li');
    await readBarcode(page, label);
    await busyWith(page, label, 'a scan while a reason is asked for is told');
    is(await page.inputValue('#reason'), 'The client', 'a scan fills no reason');
    ok(!await isSent(page) && await count(`SELECT count(*) FROM lims.sample
        WHERE tracking_id = ? AND disposition = 'on_hold'`, asked) === 0,
    'a scan sends no question that is open');
    await press(page, 'Escape');
}

async function scanInPassword(page, label) {
    await go(page, 'Verify');
    await page.waitForSelector('tr.cursor');
    const before = await verified();
    await press(page, 'V');
    await page.waitForSelector('#sign');
    await page.fill('#sign', 'half');
    await page.focus('#sign');
    await readBarcode(page, label);
    await busyWith(page, label, 'a scan into a password is told');
    is(await page.inputValue('#sign'), 'half', 'a scan is no part of a password');
    ok(!await isSent(page) && await failures(lena) === 0, 'a scan counts as no wrong password');
    is(await verified(), before, 'a wrong password signs nothing');
    await press(page, 'Escape');
}

async function scanning(page) {
    const labels = (await page.locator('tbody th').allTextContents()).slice(4, 8);

    await scanInLists(page, labels[0], labels[1]);
    await scanInReason(page, labels[2]);
    await scanInPassword(page, labels[3]);
}

async function scanInCell(page) {
    await toBench(page);
    await page.keyboard.type('0.31', { delay: 50 });
    await press(page, 'Enter', 'ArrowUp');
    await page.waitForSelector(`${first} .mark.ready`);
    is(await typed(page), '0.31', 'a cell is filled by hand');
    const [[label]] = await rows('SELECT min(tracking_id) FROM lims.sample');
    await readBarcode(page, label, 'Tab');
    await page.waitForSelector(`h1.id:text-is("${label}")`);
    await page.goBack();
    await page.waitForSelector(`${first}.editing input`);
    is(await typed(page), '0.31', 'a scan changes no cell');
}

// --- Another tab -------------------------------------------------------------

// No tab hears of the other: the service alone says that the session is another one.
const deafen = () => {
    BroadcastChannel.prototype.postMessage = () => {};
};

// Holds what the page asks of itself, so that an act is the first to meet the other session.
async function holdReading(page) {
    const hold = (route) => route.request().method() === 'GET' ? undefined : route.continue();
    await page.route('**/app/api/**', hold);
    return () => page.unroute('**/app/api/**', hold);
}

async function inAnotherTab(context, email, name) {
    const other = await context.newPage();
    await open(other, '/app/account');
    await other.waitForSelector('.person');
    await signOut(other);
    await signIn(other, email);
    await other.waitForSelector(`.person:has-text("${name}")`);
    return other;
}

const coveredBy = (page, name) => until(page, () => /Somebody else signed in/.test(
    document.querySelector('.cover')?.textContent), name);

async function cellsOfAnother({ page, context }) {
    const before = await entries(yuki);
    const release = await holdReading(page);
    const other = await inAnotherTab(context, yuki, 'Yuki Tanaka');

    await press(page, 'Control+s');
    await coveredBy(page, 'saving in the first tab: it is covered');
    is(await entries(yuki), before, 'nothing is entered by the person of the second tab');
    is(await typed(page), '0.31', 'what was typed in the covered tab is there');
    await release();
    return other;
}

async function backAgain({ page }, other) {
    await page.fill('#again', process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await until(page, () => !document.querySelector('.cover'), 'the first one is back');
    await until(page, () => [...document.querySelectorAll('.head .btn')]
        .some((one) => /All is saved/.test(one.textContent)), 'what was typed is saved when its person is back');
    is(await count(`SELECT count(*) FROM lims.sample_test t
        JOIN lims.user_account u ON u.id = t.entered_by WHERE t.result = '0.31'
            AND u.email = ?`, mateo), 1, 'the result is entered by the person who typed it');
    await other.locator('.rail').getByRole('link', { name: 'Worklist', exact: true }).click();
    await until(other, () => document.querySelector('.cover'), 'now the second tab is covered');
    await other.close();
}

async function passwordOfAnother({ page, context }, secret, name) {
    await open(page, '/app/verify');
    await page.waitForSelector('tr.cursor');
    await press(page, 'V');
    await page.waitForSelector('#sign');
    const before = await verified();
    const release = await holdReading(page);
    const other = await inAnotherTab(context, mateo, 'Mateo Ortiz');
    await page.fill('#sign', secret);
    await page.press('#sign', 'Enter');
    await coveredBy(page, `${name} in the first tab: it is covered`);
    is(await verified(), before, `${name} in the first tab: nobody has signed`);
    is(await failures(mateo), 0, `${name} counts for nobody in the second tab`);
    is(await failures(lena), 0, `${name} counts for nobody in the first tab`);
    await release();
    await other.close();
}

// All people of the demonstration have the same password.
async function passwordsOfAnother(here) {
    const { page } = here;
    await passwordOfAnother(here, process.env.LIMS_PASSWORD, 'a right password');
    const signed = await verified();
    await open(page, '/app/account');
    await page.waitForSelector('.person');
    await signOut(page);
    await signIn(page, lena);
    await page.waitForSelector('.person');
    is(await verified(), signed, 'the act does not go on when its person is back');
    await passwordOfAnother(here, 'not the password', 'a wrong password');
}

// --- The same tab -------------------------------------------------------------

async function oneAfterTheOther({ page }) {
    await page.waitForSelector(`${first} input:focus`);
    await page.keyboard.type('0.93', { delay: 50 });
    await go(page, 'Worklist');
    await page.waitForSelector('tr.cursor');
    await signOut(page);
    await signIn(page, yuki);
    await page.waitForSelector('tr.cursor');
    await page.evaluate((path) => {
        history.pushState(null, '', path);
        dispatchEvent(new PopStateEvent('popstate'));
    }, bench);
    await page.waitForSelector(`${first} input`);
    is(await typed(page), '0.31', 'the next one sees what is saved, and no cell of the first');
    await signOut(page);
    await page.route('**/app/api/samples?*', () => {});
    await signIn(page, sofia);
    await page.waitForSelector('.rail');
    await go(page, 'Samples');
    await page.waitForSelector('h1:text-is("Samples")');
    ok(!/CB-\d\d-/.test(await page.textContent('#app')),
        'who is of another laboratory sees nothing that was read before');
    await page.unroute('**/app/api/samples?*');
    await signOut(page);
    await signIn(page, mateo);
    await page.waitForSelector('tr.cursor');
    await page.evaluate((path) => {
        history.pushState(null, '', path);
        dispatchEvent(new PopStateEvent('popstate'));
    }, bench);
    await until(page, (cell) => document.querySelector(cell)?.value === '0.93',
        'the first one finds what was typed', `${first} input`);
}

// Puts three samples on hold while the service does not answer. Returns the requests, and what
// lets them go on.
async function holdThree(page) {
    const held = [];
    const sent = [];
    const hold = (route) => held.push(route);
    await go(page, 'Samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'x', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await page.keyboard.insertText('hold');
    await press(page, 'Enter');
    await page.fill('#reason', 'Asked the client');
    await page.route('**/disposition', hold);
    page.on('request', (request) => {
        if (request.url().endsWith('/disposition')) {
            sent.push(request);
        }
    });
    const begun = page.waitForRequest('**/disposition');
    await page.press('#reason', 'Enter');
    await begun;
    await press(page, 'Escape');
    return { sent, goOn: async () => {
        await page.unroute('**/disposition', hold);
        await Promise.all(held.map((route) => route.continue().catch(() => {})));
    } };
}

const onHold = () => count(`SELECT count(*) FROM lims.audit_entry e
    WHERE e.table_name = 'sample' AND e.reason = 'Asked the client'`);

// Nothing that was begun before signing out goes on in the session of the next one.
async function begunBefore({ page }) {
    const { sent, goOn } = await holdThree(page);
    await signOut(page);
    await signIn(page, omar);
    await page.waitForSelector('.rail');
    await goOn();
    await Promise.all(sent.map((request) => request.response()));
    await go(page, 'Samples');
    await page.waitForSelector('tr.cursor');
    await ask(page, 'GET', '/samples?limit=1');
    is([sent.length, await onHold()].join(), '1,0',
        'an act over three samples ends when its person signs out');
    is(await page.locator('.cover').count(), 0, 'its late answer does not end the next session');
    is(await page.locator('.said').textContent(), '', 'the next one is not told of it');
}

// Signing out asks before a text is discarded.
async function asksBefore({ page }) {
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Enter');
    await page.getByRole('link', { name: 'Comments', exact: true }).click();
    await page.fill('#comment', 'The client called');
    let asked = '';
    page.once('dialog', (dialog) => {
        asked = dialog.message();
        return dialog.dismiss();
    });
    await page.locator('.person').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await until(page, () => !document.querySelector('[role=menuitem]'), 'the menu is closed');
    ok(/not saved/.test(asked), 'signing out asks before it discards a text', asked);
    is(await page.inputValue('#comment'), 'The client called', 'who stays keeps the text');
}

async function begin(browser, person, ...scripts) {
    const here = await desk(browser);
    for (const script of scripts) {
        await here.context.addInitScript(script);
    }
    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, person);
    await here.page.waitForSelector('.rail');
    return here;
}

run(async (browser) => {
    const reviewer = await begin(browser, lena, deafen, watching);
    const analyst = await begin(browser, mateo, deafen);

    await go(reviewer.page, 'Samples');
    await reviewer.page.waitForSelector('tr.cursor');
    await scanEverywhere(reviewer.page);
    await open(reviewer.page, '/app/samples');
    await reviewer.page.waitForSelector('tr.cursor');
    await scanning(reviewer.page);
    await passwordsOfAnother(reviewer);
    await scanInCell(analyst.page);
    const other = await cellsOfAnother(analyst);
    await backAgain(analyst, other);
    await oneAfterTheOther(analyst);
    const manager = await begin(browser, lena, deafen);
    await begunBefore(manager);
    await asksBefore(manager);
    quiet(reviewer);
    quiet(analyst, 'the other browser');
    quiet(manager, 'the third browser');
});

// SPDX-License-Identifier: Apache-2.0
//
// A new person: the link, the first sign-in, the own sessions and password.
import { desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const omar = 'omar.haddad@cedarbasin.example';
const kim = 'kim.arden@cedarbasin.example';
const first = 'grey heron at nine';
const second = 'tidal ledger quince';

// Makes an account for a new person, as an administrator, and returns its link.
const invited = (page, email) => page.evaluate(async (address) => {
    const { id: session } = await (await fetch('/app/api/session')).json();
    const post = async (path, body) => (await fetch(`/app/api${path}`, { method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Lims-Request': '1',
            'X-Lims-Session': String(session), 'Idempotency-Key': crypto.randomUUID() },
        body: JSON.stringify(body) })).json();
    const { id } = await post('/users', { email: address, displayName: 'Kim Arden',
        roles: ['analyst'] });
    return (await post(`/users/${id}/link`, { reason: 'new here' })).token;
}, email);

async function theLink(here, token) {
    const { page } = here;

    here.seen.expected.push(/status of 40[034]/);
    await open(page, `/app/link#${token}`);
    await page.waitForSelector('#new-password');
    ok(!page.url().includes(token), 'the token leaves the address at once');
    await page.fill('#new-password', 'qwertyuiop12');
    await press(page, 'Enter');
    await page.waitForSelector('[role=alert]');
    ok(/one of the commonest/.test(await page.textContent('[role=alert]')),
        'a common password is refused');
    await looks(page, 'link');
    await page.fill('#new-password', first);
    await press(page, 'Enter');
    await until(page, (email) => document.querySelector('[role=status]')?.textContent
        .includes(email), 'another one is set', kim);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForSelector('#email');
}

async function firstUse({ page }) {
    await signIn(page, kim, first);
    await page.getByRole('button', { name: 'It was me: go on' }).click();
    await page.getByRole('heading', { name: 'Before you begin' }).waitFor();
    await looks(page, 'first-use');
    await page.getByRole('button', { name: 'I accept this' }).click();
    await page.waitForSelector('.person');
    await until(page, () => /Can sign/.test(document.querySelector('.person')?.textContent),
        'whoever accepts it can sign');
}

async function sessions({ page }, other) {
    await open(other.page);
    await signIn(other.page, kim, first);
    await other.page.getByRole('button', { name: 'It was me: go on' })
        .waitFor({ state: 'detached' });
    await other.page.waitForSelector('.person');
    await page.locator('.person').click();
    await page.getByRole('menuitem', { name: 'Sessions and password' }).click();
    await page.waitForSelector('main table[aria-label] tbody tr:nth-child(2)');
    ok(/this one/.test(await page.textContent('main table[aria-label]')),
        'the own sessions are listed');
    await looks(page, 'account');
    await page.getByRole('button', { name: /^End the session from/ }).click();
    await until(page, () => document.querySelectorAll('main table[aria-label] tbody tr')
        .length === 1, 'another one is ended');
}

async function password({ page }) {
    await page.fill('#old-password', 'not that one at all');
    await page.fill('#new-password', second);
    await press(page, 'Enter');
    await page.waitForSelector('form [role=alert]');
    ok(/4 more tries/.test(await page.textContent('form [role=alert]')), 'a wrong old password');
    await page.fill('#old-password', first);
    await press(page, 'Enter');
    await until(page, () => document.querySelector('#old-password')?.value === ''
        && !document.querySelector('form [role=alert]'), 'the right one changes it');
    await open(page, '/app/account');
    await page.getByRole('button', { name: 'It was me: go on' }).click();
    await page.waitForSelector('main table[aria-label]');
    is(await page.locator('main table[aria-label] tbody tr').count(), 1, 'the session goes on');
}

async function deadNetwork({ page, context, seen }) {
    seen.expected.push(/ERR_INTERNET_DISCONNECTED/);
    await page.fill('#old-password', second);
    await page.fill('#new-password', 'grey heron at ten');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await until(page, () => /cannot be reached/.test(
        document.querySelector('.connection')?.textContent), 'a dead network is told');
    await looks(page, 'offline');
    is(await page.inputValue('#new-password'), 'grey heron at ten', 'what was typed is kept');
    await context.setOffline(false);
    await until(page, () => document.querySelector('.connection')?.textContent === '',
        'its return is noticed without anybody doing anything');
}

// An administrator gives the account an identity, which takes the password away.
const identified = (page) => page.evaluate(async () => {
    const { id: session } = await (await fetch('/app/api/session')).json();
    const people = await (await fetch('/app/api/users?email=kim.arden@cedarbasin.example',
        { headers: { 'X-Lims-Session': String(session) } })).json();
    const answer = await fetch(`/app/api/users/${people.data[0].id}`, { method: 'PATCH',
        headers: { 'Content-Type': 'application/json', 'X-Lims-Request': '1',
            'X-Lims-Session': String(session) },
        body: JSON.stringify({ identity: { type: 'Basic', subject: 'kim' } }) });
    return answer.status;
});

async function singleSignOn({ page }, admin) {
    is(await identified(admin.page), 200, 'an identity is given');
    await open(page);
    await page.getByRole('link', { name: 'Sign in by single sign-on' }).click();
    await page.getByRole('button', { name: /^Sign in as Kim Arden/ }).waitFor();
    await looks(page, 'sign-on');
    await page.waitForSelector('button:focus');
    await press(page, 'Enter');
    await until(page, () => /Kim Arden/.test(document.querySelector('.person')?.textContent),
        'single sign-on begins a session');
}

// Somebody whom nobody here knows: the name as it is, also what hides in it.
async function unknown({ page }) {
    await open(page, '/app/sign-on');
    await page.getByRole('alert').waitFor();
    ok(/Nobody here is known as kim\[U\+202E\]\[U\+0007\]nedra:/.test(
        await page.textContent('[role=alert]')), 'an unknown name is shown as it is',
    await page.textContent('main'));
    ok(!/[\u0007\u202e]/.test(await page.textContent('main')), 'no hidden character is shown');
    is(await page.getByRole('button').count(), 0, 'nobody can sign in by an unknown name');
}

// The session ends: a window of its own asks who it is, tells the page and closes.
async function inPlace({ page, context }) {
    await open(page, '/app/account');
    await page.waitForSelector('#new-password');
    await page.fill('#new-password', 'half a pass');
    await context.clearCookies();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const again = page.locator('.cover').getByRole('button', { name: 'Sign in by single sign-on' });
    await again.waitFor();
    const [popup] = await Promise.all([page.waitForEvent('popup'), again.press('Enter')]);
    const me = popup.getByRole('button', { name: /^Sign in as Kim Arden/ });
    // The window may be closed before the key is let go.
    await Promise.all([popup.waitForEvent('close'), me.press('Enter').catch(() => null)]);
    await until(page, () => !document.querySelector('.cover'),
        'single sign-on opens a covered page again, from a window of its own');
    is(await page.inputValue('#new-password'), 'half a pass', 'what was typed is there after single sign-on');
    await page.fill('#new-password', '');
}

async function leadsOn({ page, seen }) {
    seen.expected.push(/status of 404/);
    await page.locator('.person').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/left');
    ok(true, 'signing out leads on, where the server says so');
}

// Whoever signs in by an identity signs by a password that does nothing else.
async function signaturePassword({ page }) {
    await open(page, '/app/account');
    await page.waitForSelector('#new-password');
    await looks(page, 'signature-password');
    await page.fill('#new-password', second);
    await press(page, 'Enter');
    await until(page, () => /Can sign/.test(document.querySelector('.person')?.textContent),
        'a signature password is set, just signed in');
    await open(page, '/app/verify');
    await page.waitForSelector('tr.cursor');
    await press(page, 'V');
    await page.waitForSelector('#sign');
    is((await page.textContent('label[for=sign]')).trim(), 'Signature password of Kim Arden',
        'the dialog asks for it by name');
    await page.fill('#sign', second);
    await page.keyboard.press('Enter');
    await until(page, () => !document.querySelector('#sign')
        && !/32 results/.test(document.querySelector('.head')?.textContent),
            'the results are verified under signature');
}

run(async (browser) => {
    const [admin, here, other] = [await desk(browser), await desk(browser), await desk(browser)];

    await open(admin.page);
    await signIn(admin.page, omar);
    await admin.page.waitForSelector('.person');
    await theLink(here, await invited(admin.page, kim));
    await firstUse(here);
    await sessions(here, other);
    await password(here);
    await deadNetwork(here);
    quiet(here);
    const away = await desk(browser,
        { httpCredentials: { username: 'kim', password: 'tidal ledger quince' } });
    await singleSignOn(away, admin);
    await inPlace(away);
    await signaturePassword(away);
    await leadsOn(away);
    quiet(away);
    const stranger = await desk(browser, { httpCredentials:
        { username: 'kim\u202e\u0007nedra', password: 'tidal ledger quince' } });
    await unknown(stranger);
    quiet(stranger, 'the browser of somebody whom nobody knows');
});

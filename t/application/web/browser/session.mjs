// SPDX-License-Identifier: Apache-2.0
//
// The end of a session in the middle of work; two tabs; two people at one desk.
import { act, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const ben = 'ben.walsh@cedarbasin.example';
const lena = 'lena.fischer@cedarbasin.example';
const words = 'The client called about the bottle';
const covered = (page) => page.locator('.cover').count();

async function openComments(page) {
    await open(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Enter');
    await page.getByRole('link', { name: 'Comments', exact: true }).click();
    await page.waitForSelector('#comment');
}

// Sends the comment that is written, and ends the session when that is on its way: nothing that
// the page reads by itself meets the end before.
async function sendAfterTheEnd({ page, context }) {
    await page.route('**/api/comments', async (route) => {
        await context.clearCookies();
        await route.continue();
    }, { times: 1 });
    await page.getByRole('button', { name: 'Add the comment' }).click();
    await page.waitForSelector('#again');
}

const shows = '.pane table:not([aria-hidden]), .pane .nothing';

// Another tab that asks for nothing itself, and is told that the session ended.
async function besides({ context }) {
    const tab = await context.newPage();
    await openComments(tab);
    await tab.fill('#comment', `${words} too`);
    return tab;
}

async function endedInTheMiddle(here) {
    const { page } = here;
    await openComments(page);
    await page.fill('#comment', words);
    const tab = await besides(here);
    await sendAfterTheEnd(here);
    ok(/Your session ended/.test(await page.textContent('.cover')), 'the end is told');
    await until(tab, () => /Your session ended/.test(document.querySelector('.cover')?.textContent),
        'the end is told in every tab');
    await looks(page, 'session-ended');
    await page.fill('#again', 'not the password');
    await press(page, 'Enter');
    await page.waitForSelector('.cover [role=alert]');
    is((await page.textContent('.cover [role=alert]')).trim(), 'The password is wrong.',
        'where only a password is asked for, only the password is said to be wrong');
    is(await covered(page), 1, 'a wrong password opens nothing');
    await page.fill('#again', process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await until(page, () => !document.querySelector('.cover'), 'the password opens the page again');
    await until(page, (text) => document.querySelector('.pane table')?.textContent.includes(text),
        'what was sent when it ended is done', words);
    is(await page.locator('.pane tbody tr').count(), 1, 'the list has one row');
    await until(tab, () => !document.querySelector('.cover'), 'the password opens the other tab, too');
    is(await tab.inputValue('#comment'), `${words} too`, 'what was typed in the other tab is still there');
    await tab.close();
}

// No tab tells another, and the page reads nothing else: it looks as soon as it is seen again.
async function seenAgain({ page, context }) {
    const hold = (route) => route.request().url().endsWith('/api/session') ? route.continue()
        : undefined;
    await page.route('**/app/api/**', hold);
    await context.clearCookies();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.waitForSelector('#again');
    await page.unroute('**/app/api/**', hold);
    await page.fill('#again', process.env.LIMS_PASSWORD);
    await press(page, 'Enter');
    await until(page, () => !document.querySelector('.cover'),
        'a page that is seen again after the end is covered at once');
}

async function asksForName(page, whom) {
    await until(page, () => document.querySelector('label[for=email]')?.textContent.trim()
        === 'User name or e-mail address',
    `${whom} is asked for a name, where the server asks a directory as well`);
    is(await page.getAttribute('#email', 'type'), 'text', `${whom} may type a name`);
}

// A name of the directory, which is no e-mail address.
async function byName({ page }) {
    await open(page, '/app/samples');
    await page.waitForSelector('#email');
    await asksForName(page, 'somebody new');
    ok(/user name is changed where that name is kept/.test(await page.textContent('main')),
        'the page says where the password of a name is changed');
    await looks(page, 'sign-in-by-name');
    await signIn(page, 'mateo', 'not the password');
    await page.waitForSelector('[role=alert]');
    is((await page.textContent('[role=alert]')).trim(), 'The name or the password is wrong.',
        'a wrong password of a name is told without calling the name an address');
    await signIn(page, 'mateo', 'tidal ledger quince');
    await page.waitForSelector('tr.cursor');
    ok(/Mateo Ortiz/.test(await page.textContent('.person')), 'the name signs in');
}

async function signedOutElsewhere({ page, context }) {
    const other = await context.newPage();
    await page.fill('#comment', words);
    await open(other, '/app/samples');
    await other.waitForSelector('tr.cursor');
    await other.locator('.person').click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.waitForSelector('#email');
    await asksForName(other, 'whoever has signed out');
    await until(page, () => /signed out in another window/.test(
        document.querySelector('.cover')?.textContent), 'signing out covers every tab');
    return other;
}

async function somebodyElse({ page }, other) {
    await signIn(other, lena);
    await other.waitForSelector('tr.cursor');
    await until(page, () => /Somebody else signed in/.test(
        document.querySelector('.cover')?.textContent), 'the tab says who is in the way');
    is(await covered(page), 1, 'the page stays covered');
    is(await page.inputValue('#comment'), words, 'what was typed is still there');
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Somebody else' }).click();
    await until(page, () => /Lena Fischer/.test(document.querySelector('.person')?.textContent),
        'somebody else gets a new page');
    await page.waitForSelector(shows);
    is(await page.inputValue('#comment'), '', 'somebody else does not see what the first one typed');
}

// A comment that is sent after the session has ended waits for its person: nobody else sends it.
async function pendingOfAnother(here, other) {
    const { page } = here;
    const text = 'The bottle leaked';
    await page.fill('#comment', text);
    await sendAfterTheEnd(here);
    await open(other, '/app/samples');
    await other.waitForSelector('#email');
    await signIn(other, ben);
    await other.waitForSelector('tr.cursor');
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Somebody else' }).click();
    await until(page, () => /Ben Walsh/.test(document.querySelector('.person')?.textContent),
        'somebody else goes on from the covered page');
    await page.waitForSelector(shows);
    const [[made]] = await act('rows', 'SELECT count(*) FROM lims.comment WHERE text = ?', text);
    is(Number(made), 0, 'what waited for the one who has left is done by nobody');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    await open(page);
    await signIn(page, ben);
    await page.waitForSelector('tr.cursor');
    await endedInTheMiddle(here);
    await seenAgain(here);
    const other = await signedOutElsewhere(here);
    await somebodyElse(here, other);
    await pendingOfAnother(here, other);
    quiet(here);
    const named = await desk(browser);
    await byName(named);
    quiet(named, 'the browser of somebody with a name');
});

// SPDX-License-Identifier: Apache-2.0
//
// Users: inviting one by a link that is shown once and works, roles with a reason, who can do
// what, and what roles may do; one who has left is signed out, unlocked and deactivated.
import { act, ask, desk, is, looks, ok, open, press, signIn, until } from './support.mjs';

const panel = (page) => page.getByRole('dialog');
const field = (page, label) => panel(page).getByLabel(label, { exact: true });
const said = (page, pattern, name) => until(page, (text) =>
    new RegExp(text).test(document.querySelector('.said')?.textContent), name, pattern);
const lists = (page, pattern, name) => until(page, (text) =>
    new RegExp(text).test(document.querySelector('tbody')?.textContent), name, pattern);
const ticked = (page, label, name) => until(page, (one) =>
    document.querySelector(`.matrix [aria-label="${one}"]`)?.checked, name, label);

async function invites(page) {
    await page.click('.rail a[href$="/users"]');
    await page.waitForSelector('tr.cursor');
    await lists(page, 'Mateo Ortiz.*Analyst', 'people with their roles');
    await looks(page, 'users');
    await press(page, 'n');
    await page.waitForSelector('.filling');
    await field(page, 'Name').fill('Iris Novak');
    await field(page, 'E-mail address').fill('iris.novak@cedarbasin.example');
    await field(page, 'Analyst').check();
    await looks(page, 'user-form');
    await panel(page).getByRole('button', { name: 'Invite a user' }).click();
    await page.waitForSelector('[data-secret]');
    const link = await page.textContent('[data-secret]');
    ok(/\/app\/link#\w/.test(link), 'the link, with its token where no server sees it');
    await looks(page, 'user-link');
    await panel(page).getByRole('button', { name: 'I have stored it' }).click();
    await until(page, () => !document.querySelector('[data-secret]'), 'it is shown only once');
    await lists(page, 'Iris Novak.*no password yet', 'she is in the list');
    return link;
}

async function spends(browser, link) {
    const hers = await desk(browser);
    await hers.page.goto(link);
    await hers.page.waitForSelector('input[name=new]');
    is(await hers.page.locator('[role=alert]').count(), 0, 'the link opens the page of a password');
    await hers.context.close();
}

async function changes(page) {
    await page.locator('tbody tr').filter({ hasText: 'Iris Novak' }).click();
    await press(page, 'e');
    await page.waitForSelector('.filling');
    await field(page, 'Auditor').check();
    await panel(page).getByRole('button', { name: 'Change Iris Novak' }).click();
    await page.waitForSelector('.filling input[name=reason][required]');
    ok(/reason_required/.test(await panel(page).textContent()), 'a change of roles asks for a reason');
    await page.locator('.filling input[name=reason]').fill('She also audits');
    await panel(page).getByRole('button', { name: 'Change Iris Novak' }).click();
    await said(page, 'Iris Novak is changed', 'roles are changed with a reason');
    await lists(page, 'Analyst, Auditor', 'both roles');
}

async function permissions(page) {
    await page.route('**/api/users?*', (route) => route.continue({
        url: route.request().url().replace(/limit=\d+/, 'limit=2') }));
    await page.getByRole('link', { name: 'Roles and permissions' }).click();
    await page.waitForSelector('.matrix');
    await page.getByRole('combobox', { name: 'Who can' }).selectOption('qc.override');
    await until(page, () => /Grace Okafor/.test(document.querySelector('.beside')?.textContent),
        'who can override QC, of however many people');
    await page.unroute('**/api/users?*');
    await page.getByLabel('Auditor: override QC').check();
    await until(page, () => /Iris Novak/.test(document.querySelector('.beside')?.textContent),
        'the effect is seen before it is made');
    await looks(page, 'permissions');
    await page.setViewportSize({ width: 1024, height: 768 });
    ok(await page.locator('.pane').evaluate((pane) => pane.scrollWidth <= pane.clientWidth),
        'all roles are seen at once, also on a tablet');
    await page.setViewportSize({ width: 1366, height: 768 });
    await page.getByRole('button', { name: 'Change the permissions of 1 role' }).click();
    await page.waitForSelector('#reason');
    ok(/Auditor may: override QC/.test(await panel(page).textContent()), 'what will happen is listed');
    await page.fill('#reason', 'An auditor stands in');
    await overtaken(page);
    await page.getByRole('button', { name: 'Change the permissions of 1 role' }).click();
    await page.fill('#reason', 'An auditor stands in');
    await press(page, 'Enter');
    await said(page, 'permissions of 1 role are changed', 'the matrix is changed');
    await page.waitForSelector('.differs', { state: 'detached' });
    await ticked(page, 'Auditor: override QC', 'the permission stays ticked');
    await ticked(page, 'Auditor: comment and attach files',
        'the permission that somebody else has changed stays');
}

// Somebody else changes the same role first.
async function overtaken(page) {
    const { roles } = await ask(page, 'GET', '/permissions');
    const { permissions: now } = roles.find(({ role }) => role === 'auditor');
    await ask(page, 'PATCH', '/permissions', { reason: 'Auditors comment',
        roles: [{ role: 'auditor', permissions: [...now, 'note.add'] }] });
    await press(page, 'Enter');
    await page.waitForSelector('#refusal');
    ok(/matrix has changed since you read it/.test(await page.textContent('#refusal')),
        'a matrix that somebody else changed is not overwritten',
        await page.textContent('#refusal'));
    await press(page, 'Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
    await ticked(page, 'Auditor: comment and attach files', 'the matrix is shown as it is now');
    await ticked(page, 'Auditor: override QC', 'my change of the matrix is kept, to be sent anew');
}

const mateo = 'mateo.ortiz@cedarbasin.example';
const row = (page, name) => page.locator('tbody tr').filter({ hasText: name });
const found = async (page, email) =>
    (await ask(page, 'GET', `/users?email=${encodeURIComponent(email)}`)).data[0];

// Another person's session is ended where the person is looked at.
async function endsSession(browser, page) {
    const his = await desk(browser);
    await open(his.page);
    await his.page.waitForSelector('#email');
    await signIn(his.page, mateo);
    await his.page.waitForSelector('.person');
    const { id } = await found(page, mateo);
    await open(page, `/app/users/${id}`);
    const ending = panel(page).getByRole('button', { name: /^End the session from/ }).first();
    await ending.waitFor();
    ok(/Chrome \d+ on Linux, since .*, last used/.test(await panel(page).textContent()),
        'a session says its browser, and since when it is', await panel(page).textContent());
    await ending.click();
    await said(page, 'The session has ended', 'a session of another person is ended');
    const { data } = await ask(page, 'GET', `/users/${id}/sessions?active=true`);
    is(data.length, 0, 'no session of that person is active any more');
    await his.page.getByRole('link', { name: 'Samples', exact: true }).click();
    await until(his.page, () => /Your session ended/.test(document.querySelector('.cover')
        ?.textContent), 'whose session was ended is asked to sign in again');
    await his.context.close();
    await press(page, 'Escape');
    await page.waitForSelector('.filling', { state: 'detached' });
}

async function unlocks(page) {
    const { id } = await found(page, mateo);
    await act('rows', `INSERT INTO lims.account_state (organization_id, user_id, locked_until)
        SELECT organization_id, id, now() + interval '1 hour'
          FROM lims.user_account
         WHERE id = ?
            ON CONFLICT (organization_id, user_id)
            DO UPDATE SET locked_until = excluded.locked_until
        RETURNING user_id`, id);
    await open(page, '/app/users');
    await row(page, 'Mateo Ortiz').click();
    await page.getByRole('button', { name: 'Unlock Mateo Ortiz' }).click();
    await page.waitForSelector('#reason');
    await press(page, 'Enter');
    await said(page, 'Mateo Ortiz can sign again', 'a locked account is unlocked');
    is((await found(page, mateo)).lockedUntil, null, 'the account is locked no more');
}

async function deactivates(page) {
    await row(page, 'Iris Novak').click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Deactivate 1 user' }).click();
    await page.fill('#reason', 'She has left');
    await press(page, 'Enter');
    await said(page, '1 user deactivated', 'who has left is deactivated');
    is((await found(page, 'iris.novak@cedarbasin.example')).active, false,
        'a deactivated account is active no more');
    await until(page, () => !/Iris Novak/.test(document.querySelector('tbody')?.textContent),
        'a deactivated account is not among those in use');
}

export async function users(browser, { page }) {
    const link = await invites(page);
    await spends(browser, link);
    await changes(page);
    await permissions(page);
    await endsSession(browser, page);
    await unlocks(page);
    await deactivates(page);
}

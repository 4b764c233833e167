// SPDX-License-Identifier: Apache-2.0
//
// A laboratory that does not sign: nobody verifies, approves or chooses what they have not seen.
// And the result of a repeated test is chosen when it is verified already, signed or not.
import { act, ask, is, ok, open, press, until } from './support.mjs';

const policy = (signs) => act('rows', `UPDATE lims.organization SET esignature_required = ${signs}
    WHERE code = 'cedar-basin' RETURNING id`);
const dialog = (page) => page.getByRole('dialog');
const said = (page, pattern, name) => until(page, (expected) =>
    new RegExp(expected).test(document.querySelector('.said')?.textContent), name, pattern);
const refused = (page, pattern, name) => until(page, (expected) =>
    new RegExp(expected).test(document.querySelector('[role=dialog] tr.look')?.textContent), name,
pattern);

async function entered(colleague, result) {
    const { data } = await ask(colleague, 'GET', '/sample-tests?status=pending&limit=200');
    for (const test of data.filter(({ retestOf, disposition }) => retestOf === null
        && disposition === 'active')) {
        const done = await ask(colleague, 'PATCH', `/sample-tests/${test.id}`, { result })
            .catch(() => null);
        const reviewed = done && await ask(colleague, 'GET',
            `/sample-tests/${test.id}?include=review`);
        if (reviewed?.review.refusals.length === 0) {
            return reviewed;
        }
    }
    throw new Error('no test can be entered');
}

async function verifying(page, colleague) {
    const test = await entered(colleague, '7.10');
    await open(page, `/app/samples/${test.sampleId}`);
    await page.waitForSelector('.tall tbody tr');
    await press(page, 'v');
    await dialog(page).locator('tbody tr').first().waitFor();
    is(await page.locator('#sign').count(), 0, 'the laboratory asks for no password');
    ok((await dialog(page).textContent()).includes('7.10'), 'what is verified is shown');
    await ask(colleague, 'PATCH', `/sample-tests/${test.id}`, { result: '9.99' });
    await press(page, 'Enter');
    await refused(page, 'It is now 9\\.99', 'without a password, too, a value that was not seen is refused');
    is((await ask(page, 'GET', `/sample-tests/${test.id}`)).status, 'entered',
        'nothing was verified unseen');
    await dialog(page).getByRole('button', { name: 'Show it as it is now' }).click();
    await until(page, () => !document.querySelector('[role=dialog] tr.look'),
        'what is there now is shown');
    await dialog(page).locator('[type=submit]').click();
    await said(page, 'verified', 'what was seen is verified');
    return ask(page, 'GET', `/sample-tests/${test.id}`);
}

async function approving(page) {
    await open(page, '/app/approvals');
    await page.waitForSelector('tr.cursor');
    const name = (await page.textContent('tr.cursor th')).trim().split(/\s/)[0];
    const { data: [sample] } = await ask(page, 'GET', `/samples?trackingId=${name}`);
    await press(page, 'V');
    await dialog(page).locator('tbody tr').first().waitFor();
    await ask(page, 'PATCH', `/samples/${sample.id}`, { plantLocation: 'Well 77',
        reason: 'a test' });
    await dialog(page).locator('[type=submit]').click();
    await refused(page, 'has changed', 'a sample that changed since it was seen is not approved');
    await press(page, 'Escape');
}

const row = (page, test) => page.locator(`#test-${test.id}`);

async function choose(page, test, title) {
    await row(page, test).getByRole('button', { name: /^Acts on/ }).click();
    await page.getByRole('menuitem', { name: title }).click();
    await page.fill('#reason', 'Both were looked at');
    if (await page.locator('#sign').count()) {
        await page.fill('#sign', process.env.LIMS_PASSWORD);
    }
    await dialog(page).locator('[type=submit]').click();
    await said(page, 'is chosen for the report', `it says: ${title}`);
}

// Two verified results of one test, of which none is reported until one is chosen.
async function choosing(page, colleague, first) {
    const { tests: [second] } = await ask(page, 'POST', `/sample-tests/${first.id}/retest`,
        { reason: 'To be sure' });
    await ask(colleague, 'PATCH', `/sample-tests/${second.id}`, { result: '9.42' });
    await ask(page, 'POST', `/sample-tests/${second.id}/verify`, {});
    const reported = async () => (await Promise.all([first, second].map(({ id }) =>
        ask(page, 'GET', `/sample-tests/${id}`)))).map((one) => one.reported).join();
    is(await reported(), 'false,false', 'of two verified results none is reported');
    await open(page, `/app/samples/${first.sampleId}`);
    await page.locator('.beside').getByText('choosing the verified result').first().waitFor();
    await choose(page, second, /^Choose .* 9\.42/);
    is(await reported(), 'false,true', 'the chosen result is reported, and the other set aside');
    await policy('true');
    await page.reload();
    await row(page, first).waitFor();
    is(await row(page, second).getByRole('button', { name: /^Acts on/ }).count(), 1,
        'what is chosen has other acts');
    await choose(page, first, /^Choose .* 9\.99/);
    is(await reported(), 'true,false', 'the one that was set aside is chosen instead, signed');
    const { data } = await ask(page, 'GET', `/signatures?table=sample_test&recordId=${first.id}`);
    ok(data.some(({ meaning, stands }) => meaning === 'chosen' && stands),
        'the choice has its signature', JSON.stringify(data));
}

export async function unsigned(page, colleague) {
    await policy('false');
    await page.reload();
    await approving(page);
    await choosing(page, colleague, await verifying(page, colleague));
}

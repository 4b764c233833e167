// SPDX-License-Identifier: Apache-2.0
//
// Webhooks: an endpoint is registered and its secret shown once, a test is sent and stands
// among the deliveries, what waits is said before an endpoint is enabled; its secret is rotated,
// and a delivery sent again.
import { createHmac } from 'node:crypto';

import { act, ask, is, looks, ok, press, until } from './support.mjs';

const panel = (page) => page.getByRole('dialog');
const field = (page, label) => panel(page).getByLabel(label, { exact: true });
const said = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), text, text);

async function recovers(page, row) {
    await row.click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Send Portal again what was given up' }).click();
    await field(page, 'Given up since').fill('2026-01-05T08:00');
    await panel(page).getByRole('button', { name: 'Send Portal again what was given up' }).click();
    await said(page, 'is sent to Portal again');
    await row.click();
    await press(page, 'e');
    await until(page, () => /given up since/.test(document.querySelector('.filling')?.textContent),
        'a recovery stands at its endpoint, with how far it is');
    await looks(page, 'webhook-recovery');
    await press(page, 'Escape');
}

async function rotates(page, row, first) {
    await row.click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret of Portal' }).click();
    await page.waitForSelector('.filling');
    await panel(page).getByRole('button', { name: 'Rotate the secret of Portal' }).click();
    await page.waitForSelector('[data-secret]');
    const second = await page.textContent('[data-secret]');
    ok(/^whsec_/.test(second) && second !== first, 'a rotated secret is shown once');
    await panel(page).getByRole('button', { name: 'I have stored it' }).click();
    const { data } = await ask(page, 'GET', '/webhook-endpoints');
    const { previousSecretUntil } = data.find(({ name }) => name === 'Portal');
    ok(Date.parse(previousSecretUntil) > Date.now(), 'the former secret signs for a while, too',
        previousSecretUntil);
}

// A delivery that was given up is sent again by its key.
async function redelivers(page) {
    const { data: [{ id }] } = await ask(page, 'GET', '/webhook-deliveries?order=-id&limit=1');
    await act('rows', `UPDATE lims.webhook_delivery
           SET state = 'given_up', next_attempt_at = NULL, finished_at = now()
         WHERE id = ?
        RETURNING id`, id);
    await page.locator('tbody tr').filter({ hasText: 'webhook.test' }).first().click();
    await press(page, 'r');
    await said(page, '1 delivery sent again');
    is((await ask(page, 'GET', `/webhook-deliveries/${id}`)).state, 'pending',
        'a delivery that is sent again waits for its next attempt');
}

async function removes(page, row) {
    await row.click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete Portal' }).click();
    await page.fill('#reason', 'The portal is no more');
    await press(page, 'Enter');
    await said(page, 'Portal is deleted');
    await until(page, () => !/Portal/.test(document.querySelector('main tbody')?.textContent ?? ''),
        'an endpoint that is deleted is not listed');
}

// Why a signature does not fit is found out on the page.
async function signature(page) {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Check a signature' }).click();
    const [secret, timestamp, body] = ['whsec_c2VjcmV0', '1767603600', '{"id":1}'];
    const sent = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    await field(page, 'Secret, with whsec_').fill(secret);
    await field(page, 'X-Service-Timestamp').fill(timestamp);
    await field(page, 'X-Service-Signature').fill(`sha256=${sent}`);
    await field(page, 'Body, byte by byte as it came').fill('{ "id": 1 }');
    await panel(page).getByRole('button', { name: 'Check the signature' }).click();
    await until(page, () => /does not fit/.test(document.querySelector('[role=dialog]').textContent),
        'another body is not what was signed');
    await looks(page, 'webhook-signature');
    await field(page, 'Body, byte by byte as it came').fill(body);
    await press(page, 'Tab', 'Enter');
    await until(page, () => /The signature fits/.test(document.querySelector('[role=dialog]')
        .textContent), 'the signature of an unchanged body fits');
    await press(page, 'Escape');
}

export async function webhooks({ page }) {
    await page.click('.rail a[href$="/webhooks"]');
    await page.waitForSelector('table[role=grid], .nothing');
    await press(page, 'n');
    await page.waitForSelector('.filling');
    await field(page, 'Name').fill('Portal');
    await field(page, 'URL').fill('https://portal.example/hooks');
    await field(page, 'sample.reported').check();
    await panel(page).getByRole('button', { name: 'Register an endpoint' }).click();
    await page.waitForSelector('[data-secret]');
    const secret = await page.textContent('[data-secret]');
    ok(/^whsec_/.test(secret), 'its secret is shown once');
    await panel(page).getByRole('button', { name: 'I have stored it' }).click();
    const row = page.locator('tbody tr').filter({ hasText: 'Portal' });
    await row.waitFor();
    ok(/1 type.*Enabled/.test(await row.textContent()), 'it is listed with its health');
    await row.click();
    await press(page, 't');
    await page.waitForSelector('.filling');
    await panel(page).getByRole('button', { name: 'Send Portal a test' }).click();
    await said(page, 'A test is on its way');
    await row.click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Disable Portal' }).click();
    await page.fill('#reason', 'The portal moves');
    await press(page, 'Enter');
    await said(page, 'Portal is disabled');
    await looks(page, 'webhooks');
    await row.click();
    await page.getByRole('button', { name: 'Enable Portal' }).click();
    await page.waitForSelector('#reason');
    ok(/deliver(y|ies) waiting/.test(await panel(page).textContent()), 'what waits is said before');
    await panel(page).getByRole('button', { name: 'Enable Portal' }).click();
    await said(page, 'Portal is enabled');
    await recovers(page, row);
    await rotates(page, row, secret);
    await page.getByRole('link', { name: 'Deliveries' }).first().click();
    await page.locator('tbody tr').filter({ hasText: 'webhook.test' }).waitFor();
    await press(page, 'Enter');
    await page.getByRole('dialog').getByRole('link', { name: /Body/ }).waitFor();
    await looks(page, 'webhook-deliveries');
    await press(page, 'Escape');
    await redelivers(page);
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await removes(page, row);
    await signature(page);
}

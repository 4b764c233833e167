// SPDX-License-Identifier: Apache-2.0
//
// A list that is read again while it is shown.
import { ask, is, ok, open, press } from './support.mjs';

const READ_AGAIN = 60_000;

// Lists what is pending: what cannot be read is said, and where the row under the cursor leaves, a
// key acts on no row that came in its place unseen.
export async function readAgain(page) {
    await open(page, '/app/samples?status=pending');
    await page.waitForSelector('tr.cursor');
    const name = await page.textContent('tr.cursor th');
    const receive = page.locator('.head').getByRole('button', { name: /^Receive/ });
    ok(await receive.count() > 0, 'the row under the cursor can be received');
    const list = /\/app\/api\/samples\?/;
    await page.route(list, (route) => route.fulfill({ status: 403, contentType: 'application/json',
        body: JSON.stringify({ error: 'forbidden', message: 'This needs the permission data.read.' }) }));
    const banner = page.getByText(/^What is shown could not be read again .*data\.read/);
    await banner.waitFor({ timeout: READ_AGAIN });
    is(await page.textContent('tr.cursor th'), name, 'what was read stays');
    await page.unroute(list);
    const { data: [sample] } = await ask(page, 'GET', `/samples?trackingId=${name}`);
    await ask(page, 'POST', '/samples/receive', { sampleIds: [sample.id] });
    await page.waitForFunction((before) => document.querySelector('tr.cursor th')?.textContent !== before,
        name, { timeout: READ_AGAIN });
    is(await banner.count(), 0, 'what can be read again is not complained of');
    is(await receive.count(), 0, 'nothing is done to a row that came under the cursor by itself');
    await press(page, 'j', 'k');
    await receive.first().waitFor();
    ok(true, 'a row that was chosen can be received');
}

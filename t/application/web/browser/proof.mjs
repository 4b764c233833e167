// SPDX-License-Identifier: Apache-2.0
//
// The proof of the audit trail.
import { readFile } from 'node:fs/promises';

import { act, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const grace = 'grace.okafor@cedarbasin.example';

const choose = (page, text) => page.locator('#heads').setInputFiles(
    { name: 'heads.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });

const section = (page, name) => page.getByRole('region', { name });

async function download(page) {
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download the signed heads' }).click()]);
    ok(/^audit-heads-.*\.jsonl$/.test(file.suggestedFilename()), 'the heads are downloaded',
        file.suggestedFilename());
    return readFile(await file.path(), 'utf8');
}

// A file of changes is verified here by whoever has it.
async function exported(page) {
    const hand = (text) => page.locator('#exported').setInputFiles(
        { name: 'changes.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

    await open(page, '/app/audit?surface=application');
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export CSV' }).click()]);
    const changes = await readFile(await file.path(), 'utf8');
    await open(page, '/app/audit/proof');
    await hand(changes);
    await page.getByText(/changes\.csv is as it was exported/).waitFor();
    ok(true, 'an exported file is as it was signed');
    await hand(changes.replace('recordId', 'recordNo'));
    await page.getByText(/changed after it was signed/).waitFor();
    ok(true, 'an exported file that was changed is refused');
}

// The turnaround of a period, of which the files have the same rows.
async function turnaround(page) {
    const from = new Date(Date.now() - 360 * 86_400_000).toISOString().slice(0, 10);

    await page.locator('.rail').getByRole('link', { name: 'Turnaround', exact: true }).click();
    const shown = page.getByText(/^Samples reported from/);
    const before = await shown.textContent();
    await page.getByLabel('Reported from').fill(from);
    await shown.filter({ hasNotText: before }).waitFor();
    ok(page.url().includes(`from=${from}`), 'the period stands in the address', page.url());
    const clients = await section(page, 'By client').locator('tbody th').allTextContents();
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV', exact: true }).click()]);
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
    is(lines.filter((line) => line.startsWith('"client"')).length, clients.length,
        'the CSV file has a line for each client');
    ok(await page.getByRole('link', { name: 'PDF', exact: true }).isVisible(),
        'it is printed from here, too');
    await looks(page, 'turnaround');
}

// Older entries are in a file of their own: who reads the trail or a history is told.
async function archived(page) {
    const [[sample]] = await act('rows', `SELECT min(s.id) FROM lims.sample s
        JOIN lims.user_account u ON u.organization_id = s.organization_id
        WHERE u.email = '${grace}'`);
    await act('archive', 'cedar-basin');
    await open(page, `/app/audit?table=sample&recordId=${sample}`);
    const line = page.locator('tbody tr').filter({ hasText: 'is archived' });
    await line.waitFor();
    ok(/What was done up to .* is archived in the file cedar\.jsonl/.test(await line.textContent()),
        'the trail of a record ends with what is archived, and in which file',
        await line.textContent());
    await line.click();
    await press(page, 'Space');
    await page.waitForSelector('.peek');
    ok(/archived/.test(await page.textContent('.peek h2')), 'the line opens like an entry');
    await looks(page, 'audit-archived');
    await open(page, `/app/samples/${sample}/history`);
    const history = page.locator('main tbody tr').filter({ hasText: 'archived in the file cedar.jsonl' });
    await history.first().waitFor();
    is(await history.count(), 1, 'the history of a record says once what is archived, and in which file');
    await open(page, '/app/audit/proof');
    await section(page, 'Archives').getByText(/cedar\.jsonl/).waitFor();
    ok(true, 'the proof lists the archive');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;

    here.seen.expected.push(/status of 400/);
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, grace);
    await page.locator('.rail').getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('link', { name: 'Proof and archives' }).click();
    await until(page, () => document.title.startsWith('Proof'), 'the page of the proof is opened');
    await page.reload();
    await section(page, 'The chain now').getByText(/lims-audit-1:\d+:\d+:[0-9a-f]{64}/).first()
        .waitFor();
    ok(true, 'the newest heads are shown');

    await page.getByRole('button', { name: 'Check the chain' }).click();
    await page.getByText(/Every one of .* fits/).waitFor();
    ok(true, 'the chain is checked and fits');
    await section(page, 'Heads for keeping outside').getByText(/BEGIN PUBLIC KEY/).waitFor();
    ok(true, 'the public key of the signatures is shown');
    await section(page, 'Archives').getByText(/No entry is archived/).waitFor();
    ok(true, 'there is no archive yet, which is said');

    const heads = await download(page);
    const lines = heads.trimEnd().split('\n');
    ok(lines.length >= 3 && JSON.parse(lines.at(-1)).signature.length === 88,
        'each block has its line, and the last one signs them', lines.at(-1));
    await choose(page, heads);
    await page.getByText(/The chain still has/).waitFor();
    ok(true, 'compared at once, the chain has every head of the file');
    await looks(page, 'proof');

    await choose(page, heads.replace(/[0-9a-f](?=",)/, (c) => c === 'a' ? 'b' : 'a'));
    await page.getByText(/changed after it was signed/).waitFor();
    ok(true, 'a file that was changed is refused');

    await exported(page);
    await archived(page);
    const [[id]] = await act('rows', `SELECT min(b.id) FROM lims.audit_block b
        WHERE b.organization_id = (SELECT u.organization_id FROM lims.user_account u
            WHERE u.email = '${grace}')`);
    await act('asOwner', `UPDATE lims.audit_block SET head = sha256('x') WHERE id = ${id}
        AND organization_id = (SELECT organization_id FROM lims.user_account
            WHERE email = '${grace}')`);
    await choose(page, heads);
    await page.getByText('The chain was changed since heads.jsonl was made').waitFor();
    is(await section(page, 'Compare a kept file').locator('li').count(), 1,
        'the one block with another head is named');
    await turnaround(page);
    quiet(here);
});

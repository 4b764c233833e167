// SPDX-License-Identifier: Apache-2.0
//
// QC batches: covering what was entered without one, overriding many results, and again what
// was entered later; an investigation that is open; a chart's baseline; a confirmation's plan.
import { ask, desk, is, looks, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const manager = 'lena.fischer@cedarbasin.example';
const password = process.env.LIMS_PASSWORD;

// Lists answer two rows at a time, so that a few rows are several pages.
const shortPages = (page) => page.route(/[?&]limit=(200|500)\b/, (route) => route.continue({
    url: route.request().url().replace(/limit=(200|500)\b/, 'limit=2'),
}));

// Enters a result of each of three new samples, without a batch.
async function entered(page) {
    const { data: definitions } = await ask(page, 'GET', '/test-definitions?limit=100');
    const { id: definition, method } = definitions.find((one) => one.method && one.active
        && one.resultType === 'numeric' && !one.requiresConfirmation);
    const { data: [{ id: materialTypeId }] } = await ask(page, 'GET', '/material-types?limit=1');
    const tests = [];
    for (const place of ['inlet', 'basin', 'outlet']) {
        const { id, trackingId } = await ask(page, 'POST', '/samples', { materialTypeId,
            clientName: 'Cedar Basin', plantLocation: place, testDefinitionIds: [definition] });
        await ask(page, 'POST', '/samples/receive', { sampleIds: [id] });
        const { data: [test] } = await ask(page, 'GET', `/sample-tests?sampleId=${id}`);
        await ask(page, 'PATCH', `/sample-tests/${test.id}`, { result: '1' });
        tests.push({ ...test, trackingId, method });
    }
    return tests;
}

const head = (page, name) => page.locator('.head').getByRole('button', { name });

// A test that has a result is no longer open, and may be covered all the same.
async function covered(page, tests) {
    const [{ method }] = tests;
    const batch = await ask(page, 'POST', '/qc-batches', { batchNumber: 'QCB-9501', method,
        analysisDate: '2026-11-20' });
    await open(page, `/app/qc-batches/${batch.id}`);
    await head(page, 'Cover tests').click();
    const dialog = page.getByRole('dialog', { name: 'Cover tests' });
    for (const { trackingId, testCode } of tests) {
        await dialog.getByRole('checkbox', { name: `${trackingId} ${testCode} 1` }).check();
    }
    await looks(page, 'qc-cover');
    await dialog.getByRole('button', { name: 'Cover tests' }).click();
    await until(page, () => /Covers 3 tests/.test(document.querySelector('.peek')?.textContent),
        'results that were entered without a batch are covered by one');
    await ask(page, 'POST', '/qc-controls', { qcBatchId: batch.id, controlType: 'LRB',
        testDefinitionId: tests[0].testDefinitionId, criterion: 'maximum', upperLimit: 0.1,
        measuredValue: 9 });
    await ask(page, 'POST', `/qc-batches/${batch.id}/evaluate`);
    return batch.id;
}

// Returns how many tests would be repeated.
async function repeated(page) {
    await head(page, 'Repeat the run').click();
    const dialog = page.getByRole('dialog', { name: 'Repeat the run' });
    await dialog.locator('.lines li').first().waitFor();
    const count = await dialog.locator('.lines li').count();
    await page.locator('#reason').press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return count;
}

async function shown(page, id) {
    await open(page, `/app/qc-batches/${id}`);
    await page.waitForSelector('.peek li');
    is(await page.locator('.peek li').count(), 3, 'the page of a batch shows every test of it');
    is(await repeated(page), 3, 'every test of a run is repeated');
}

// One that is open is led to, not asked for again.
async function investigated(page, id) {
    const { investigationNumber } = await ask(page, 'POST', '/investigations',
        { kind: 'qc_failure', title: 'A dirty blank', qcBatchId: id });
    await open(page, `/app/qc-batches/${id}`);
    await head(page, 'Open an investigation').click();
    await page.waitForSelector(`h1:has-text("${investigationNumber}")`);
    ok(true, 'an investigation that is open already is opened in place of a second one');
    await open(page, `/app/qc-batches/${id}`);
}

async function overridden(page, id, name) {
    await head(page, 'Override QCB-9501').click();
    const signing = page.getByRole('dialog');
    await signing.locator('tbody tr').first().waitFor();
    const rows = await signing.locator('tbody tr').allTextContents();
    is(rows.length, 4, `${name}: the control and every result are listed`);
    ok(rows.slice(1).every((row) => /CB-\d\d-\d{7}-\w/.test(row)),
        `${name}: each result with its sample`, ...rows);
    await signing.getByLabel('Reason').fill('The second source recovered well');
    await signing.getByLabel(/^Password/).fill(password);
    await press(page, 'Enter');
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    is((await ask(page, 'GET', `/qc-batches/${id}`)).overriddenTestIds.length, 3,
        `${name}: the override is for every result`);
}

// A result that is entered after an override is held by the batch, until another override.
async function overriddenAgain(page, id, test) {
    await page.reload();
    await page.waitForSelector('.peek li');
    await head(page, 'Cover tests').waitFor();
    is(await head(page, 'Override QCB-9501').count(), 0, 'an override is not asked for twice');
    await ask(page, 'PATCH', `/sample-tests/${test.id}`, { result: '2', reason: 'a dilution' });
    await page.reload();
    await head(page, 'Override QCB-9501').waitFor();
    is(await repeated(page), 1, 'what is accepted is not repeated');
    await overridden(page, id, 'later');
}

// The rules of a chart are changed, and nothing else.
async function rulesAlone(page) {
    const { data: [{ id, rules }] } = await ask(page, 'GET', '/qc-series?limit=1');
    await ask(page, 'PATCH', `/qc-series/${id}`, { rules, baseline: { kind: 'first', n: 40 } });
    await open(page, `/app/qc-series/${id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Baseline and rules' }).click();
    const form = page.getByRole('dialog', { name: 'Baseline and rules' });
    is(await form.getByLabel('Number of runs').inputValue(), '40',
        'the form has the number of runs that was set');
    await form.getByRole('checkbox', { name: '7-T' }).check();
    await form.getByRole('button', { name: 'Change baseline and rules' }).click();
    await page.locator('[role=dialog]').waitFor({ state: 'detached' });
    const series = await ask(page, 'GET', `/qc-series/${id}`);
    is(series.baselineSize, 40, 'a change of the rules leaves the baseline as it is');
    ok(series.rules.includes('7-T'), 'the rules are changed', series.rules);
}

// Decided after fewer readings than the plan has: only those are said to be read.
async function readSteps(page) {
    const { data: [{ id, readingsMade }] } = await ask(page, 'GET',
        '/confirmations?confirmationStatus=pending');
    const { testDefinitionId } = await ask(page, 'GET', `/sample-tests/${id}`);
    const plan = Array.from({ length: readingsMade + 2 }, () =>
        ({ step: 'EC, gas', medium: 'EC', afterHours: 24 }));
    await ask(page, 'PATCH', `/test-definitions/${testDefinitionId}`, { confirmationPlan: plan });
    const { contentHash } = await ask(page, 'GET', `/confirmations/${id}`);
    await ask(page, 'POST', `/confirmations/${id}/outcome`, { outcome: 'refuted',
        reason: 'a mix-up', signature: { password, contentHash } });
    await open(page, `/app/confirmations/${id}`);
    await page.waitForSelector('aside ol li');
    const steps = await page.locator('aside ol li').allTextContents();
    is(steps.length, plan.length, 'the plan is shown');
    is(steps.filter((step) => /, read$/.test(step)).length, readingsMade,
        'only the steps that were read are said to be read');
}

run(async (browser) => {
    const lab = await desk(browser);
    await open(lab.page);
    await lab.page.waitForSelector('#email');
    await signIn(lab.page, manager);
    await lab.page.waitForSelector('.rail a[href$="/qc-series"]');
    const tests = await entered(lab.page);
    await shortPages(lab.page);
    const id = await covered(lab.page, tests);
    await shown(lab.page, id);
    await investigated(lab.page, id);
    await overridden(lab.page, id, 'first');
    await overriddenAgain(lab.page, id, tests[0]);
    await rulesAlone(lab.page);
    await readSteps(lab.page);
    quiet(lab, 'the browser of the manager');
});

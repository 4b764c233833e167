// SPDX-License-Identifier: Apache-2.0
//
// The tests of a sample: what is added, done again, and known of each.
import { ask, desk, is, looks, ok, open, press, quiet, run, signIn, twice,
    until } from './support.mjs';

const lena = 'lena.fischer@cedarbasin.example';

const saying = (page, text) => until(page, (expected) =>
    document.querySelector('.said')?.textContent.includes(expected), `it says: ${text}`, text);
const testsOf = async (page, id) => (await ask(page, 'GET', `/sample-tests?sampleId=${id}&limit=200`)).data;

async function toSample(page, id) {
    await open(page, `/app/samples/${id}`);
    await page.waitForSelector('.tall tbody tr');
}

async function actOn(page, code, act) {
    await page.locator('.tall tbody tr').getByRole('button', { name: `Acts on ${code}`, exact: true })
        .first().click();
    await page.getByRole('menuitem', { name: act }).click();
}

// A panel adds what the sample lacks of it. A test that was cancelled can be ordered again. The
// sample is received, and the laboratory asks for reasons.
async function adding(page, sample) {
    const [there, cancelled] = await testsOf(page, sample.id);
    const known = new Set([there, cancelled].map(({ testDefinitionId }) => testDefinitionId));
    const { data } = await ask(page, 'GET', '/test-definitions?active=true&limit=100');
    const [first, second] = data.filter(({ id }) => !known.has(id));
    await ask(page, 'POST', '/panels', { code: 'WELL', name: 'Well water',
        testDefinitionIds: [there.testDefinitionId, first.id, second.id] });
    await ask(page, 'POST', `/sample-tests/${cancelled.id}/cancel`, { reason: 'Ordered by mistake' });
    await toSample(page, sample.id);
    await page.locator('.head').getByRole('button', { name: 'Add tests' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Panel WELL Well water, the other 2 of 3 tests').check();
    is(await form.getByText(`${there.testCode} ${there.testName}`, { exact: true }).count(), 0,
        'a test that the sample has is not offered');
    await form.getByText(`${cancelled.testCode} ${cancelled.testName}`, { exact: true }).click();
    await page.fill('#reason', 'The client asked for them by telephone');
    await looks(page, 'tests-add');
    await form.getByRole('button', { name: 'Add tests' }).click();
    await saying(page, '3 tests added.');
    const active = (await testsOf(page, sample.id)).filter(({ disposition }) => disposition === 'active');
    const ids = active.map(({ testDefinitionId }) => testDefinitionId);
    ok([there, cancelled].every(({ testDefinitionId }) => ids.includes(testDefinitionId))
        && [first, second].every(({ id }) => ids.includes(id)),
    'the sample has the tests of the panel, and the cancelled one again', ids.join());
    return there;
}

async function again(page, sample, test) {
    await ask(page, 'PATCH', `/sample-tests/${test.id}`, { result: '7.10' });
    await toSample(page, sample.id);
    await actOn(page, test.testCode, `Retest ${test.testCode}`);
    await page.waitForSelector('#reason:focus');
    await page.getByLabel('Repetitions').selectOption('3');
    await page.fill('#reason', 'The duplicate differs');
    await looks(page, 'tests-retest');
    await twice(page, '**/api/sample-tests?*', () => press(page, 'Enter'));
    await saying(page, `${test.testCode} is to be tested again 3 times.`);
    is((await testsOf(page, sample.id)).filter(({ retestOf }) => retestOf === test.id).length, 3,
        'a test is done again as many times as asked for, also when Enter is pressed twice');
}

// Whatever is known of one test: from its line, and back to it.
async function known(page, sample, test) {
    await actOn(page, test.testCode, `History, files and comments of ${test.testCode}`);
    await until(page, () => /7\.10/.test(document.querySelector('.pane table')?.textContent)
        && !document.querySelector('.tall'), 'its history tells of its result');
    ok(page.url().endsWith(`/app/sample-tests/${test.id}/history`), 'a test has an address of its own',
        page.url());
    await looks(page, 'test-history');
    const tab = (name) => page.locator('.tabs').getByRole('link', { name: new RegExp(`^${name}( |$)`) });
    await tab('Comments').click();
    await page.fill('#comment', 'The first bottle had headspace.');
    await twice(page, '**/api/comments?*', () => page.locator('form.write [type=submit]').click());
    await until(page, () => /had headspace/.test(document.querySelector('.pane table')?.textContent)
        && /Comments 1/.test(document.querySelector('.tabs').textContent), 'it takes comments');
    is((await ask(page, 'GET', `/comments?table=sample_test&recordId=${test.id}`)).data.length, 1,
        'a comment is written once, also when its button is pressed twice');
    await tab('Files').click();
    await page.setInputFiles('input[type=file]', [{ name: 'curve.pdf', mimeType: 'application/pdf',
        buffer: Buffer.alloc(64, 'x') }]);
    await until(page, () => /curve\.pdf/.test(document.querySelector('.pane table')?.textContent),
        'it takes files');
    await tab('Signatures').click();
    await page.waitForSelector('.pane .nothing, .pane table');
    await tab('Overview').click();
    await page.waitForSelector(`#test-${test.id}`);
    ok(page.url().endsWith(`/app/samples/${sample.id}#test-${test.id}`), 'its overview is its line',
        page.url());
}

async function approval(page) {
    const { data: [one] } = await ask(page, 'GET', '/approval-records?status=pending&limit=1');
    await open(page, `/app/approvals/${one.id}`);
    await page.waitForSelector('.certificate tbody tr');
    await page.locator('.tabs').getByRole('link', { name: 'History' }).click();
    await page.waitForSelector('.pane tbody th');
    ok(page.url().endsWith(`/app/approvals/${one.id}/history`), 'an approval has its history', page.url());
    await looks(page, 'approval-history');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, lena);
    await page.waitForSelector('.rail');
    const { data } = await ask(page, 'GET', '/sample-tests?status=pending&include=sample&limit=200');
    const count = (test) => data.filter(({ sampleId }) => sampleId === test.sampleId).length;
    const { sampleId: id } = data.find((test) => test.sample.receivedAt && count(test) === 2);
    const test = await adding(page, { id });
    await again(page, { id }, test);
    await known(page, { id }, test);
    await approval(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Every screen, as the routes of the pages say, and those of somebody who is not signed in, with
// markup in every text; files opened directly.
import { everyScreen, folders, idIn, inApplication, nouns, patternsOf, show,
    watching } from './screens.mjs';
import { act, ask, desk, is, ok, open, press, quiet, run, signIn, until } from './support.mjs';

const ruth = 'ruth.calder@cedarbasin.example';
const ofTwo = 'grace.okafor@cedarbasin.example';
const markup = '<img src=x onerror=hit()>';

// No text of people is on these, or the demonstration has none of them.
const without = new RegExp('^/app/(?:account|guide|api-reference|receive|orders/new|permissions'
    + '|instrument-profiles/new|organization|audit/proof|webhook-deliveries|worksheets/of/\\d+)$'
    + '|^(?:a link that is markup|a password set by a link|the first day)$');

// A desk on which whatever runs of the markup is counted.
async function deskWithHits(browser, options) {
    const here = await desk(browser, options);
    await here.context.addInitScript(watching);
    await here.context.addInitScript(() => {
        window.hits = 0;
        window.hit = () => {
            window.hits++;
        };
    });
    return here;
}

// --- What is seen on one ---------------------------------------------------------

const look = (page) => page.evaluate(() => {
    const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069]/;
    const all = [...document.querySelectorAll('*')];
    const texts = [document.body.innerText, document.title, ...all.flatMap((one) =>
        [...one.attributes].map(({ value }) => value)), ...all.map(({ value }) => String(value ?? ''))];
    return {
        words: [document.body.innerText, ...all.map(({ value }) => String(value ?? ''))]
            .flatMap((text) => text.match(/text\d+w/g) ?? []),
        hits: window.hits,
        markup: document.querySelectorAll('img[src=x], body script, [onerror], [onload],'
            + ' a[href^="javascript:"]').length,
        hidden: texts.filter((text) => hidden.test(text)).map((text) =>
            text.slice(Math.max(0, text.search(hidden) - 60), text.search(hidden) + 20)),
        shown: [...document.querySelectorAll('main, [role=dialog]')].some((one) =>
            /<img[ /]src=/.test(one.innerText)
            || [...one.querySelectorAll('input, textarea')].some(({ value }) => /<img/.test(value))),
        crashed: document.body.innerText.includes('Something went wrong'),
    };
});

// The words of the texts that a program sent, where they were seen.
const wordsSeen = new Set();

async function safe(page, place) {
    const { words, hits, markup, hidden, shown, crashed } = await look(page);
    words.forEach((word) => wordsSeen.add(word));
    ok(hits === 0 && markup === 0 && hidden.length === 0 && !crashed
        && (shown || without.test(place)), `${place}: seen as what it is`,
    JSON.stringify({ hits, markup, hidden: hidden.slice(0, 3), shown, crashed }));
}

async function sentByProgram(page) {
    const { places, texts } = await act('sent');
    for (const place of places) {
        await show(page, `/app/${place}`);
        await safe(page, `${place}, sent by a program`);
    }
    const unseen = Object.keys(texts).filter((word) => !wordsSeen.has(word));
    ok(Object.keys(texts).length > 20, `${Object.keys(texts).length} texts were sent by a program`);
    is(unseen.map((word) => texts[word]).join(', '), '', 'each text that a program sent is seen');
}

// --- Files -----------------------------------------------------------------------

const files = {
    'page.html': '<!doctype html><script>localStorage.ran = "page"</script>',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg">'
        + '<script>localStorage.ran = "picture"</script></svg>',
    'report.pdf': '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
};

// Opens it as the address of a tab of its own: that is what a link in a message does.
async function openedDirectly({ context }, path, name) {
    const tab = await context.newPage();
    const saved = tab.waitForEvent('download', { timeout: 15000 }).catch(() => null);
    // A download does not open as a page.
    await open(tab, `/app/api${path}`).catch(() => {});
    const download = await saved;
    ok(download !== null && tab.url() === 'about:blank', `${name} opened directly: saved, not shown`,
        tab.url());
    await tab.close();
    return download?.suggestedFilename();
}

async function opensNoFile(here) {
    const { page } = here;
    const sample = await idIn(page, 'samples');
    for (const [fileName, bytes] of Object.entries(files)) {
        const { id } = await ask(page, 'POST', '/attachments', { fileName, contentBase64: btoa(bytes),
            mediaType: 'text/html', on: { table: 'sample', id: sample } });
        is(await openedDirectly(here, `/attachments/${id}/content`, fileName), fileName,
            'the file is downloaded under its name');
    }
    await openedDirectly(here, `/instrument-files/${await idIn(page, 'instrument-files')}/content`,
        "an instrument's file");
    await openedDirectly(here, '/samples/export', 'a list');
    is(await page.evaluate(() => localStorage.ran), undefined, 'nothing of the files that were opened ran');
}

// --- Dialogs ---------------------------------------------------------------------

async function dialogs(page) {
    await show(page, '/app/verify');
    await press(page, 'V');
    await page.waitForSelector('[role=dialog]');
    await safe(page, 'what is signed');
    await press(page, 'Escape');
    await show(page, '/app/samples');
    await page.waitForSelector('tr.cursor');
    await press(page, 'Space');
    await page.waitForSelector('.peek h2');
    await safe(page, 'a peek');
    await press(page, 'Control+k');
    await page.waitForSelector('#quick');
    await safe(page, 'quick actions');
    await page.keyboard.insertText('hold');
    await press(page, 'Enter');
    await page.fill('#reason', markup);
    await safe(page, 'what an act is about');
    await press(page, 'Enter');
    await page.waitForSelector('.said .banner');
    await safe(page, 'what is told of an act');
}

// Somebody else has changed the client meanwhile: what it was, theirs and mine.
async function conflicting(page) {
    const id = await idIn(page, 'clients');
    await show(page, `/app/reference/clients/${id}`);
    await press(page, 'e');
    const name = page.locator('.filling').getByLabel('Name', { exact: true });
    await name.fill(`${markup}\u202e mine`);
    await ask(page, 'PATCH', `/clients/${id}`, { name: `${markup} theirs` });
    await page.locator('.filling [type=submit]').click();
    await page.waitForSelector('.filling [role=alert] table');
    ok((await page.textContent('.filling [role=alert] table')).includes(`${markup}[U+202E] mine`),
        'what was typed is compared with what hides in it made visible');
    await name.fill(markup);
    await safe(page, 'two changes of one record');
    page.once('dialog', (dialog) => dialog.accept());
}

async function quarantining(page) {
    await show(page, `/app/media-lots/${await idIn(page, 'media-lots')}`);
    await page.getByRole('button', { name: /^Quarantine / }).click();
    await page.waitForSelector('[role=dialog]');
    await safe(page, 'what a quarantine concerns');
    await press(page, 'Escape');
}

// --- Without a session -----------------------------------------------------------

async function notSignedIn(browser, code) {
    const { page } = await deskWithHits(browser);
    await open(page, `/app/verification/${code}`);
    await page.waitForSelector('[role=status]');
    await safe(page, 'verification');
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ofTwo);
    await page.waitForSelector('.choices button:nth-child(1)');
    await safe(page, 'the choice of laboratories');
}

// Somebody new, whose address is hostile as well: by a link to a password, and to the first day.
async function firstUse(browser, page) {
    const email = "<img/src='x'onerror='hit()'>\u202e\u200b@cedarbasin.example";
    const { id } = await ask(page, 'POST', '/users', { email, displayName: markup, roles: ['analyst'] });
    const { token } = await ask(page, 'POST', `/users/${id}/link`, { reason: markup });
    const { page: theirs } = await deskWithHits(browser);
    for (const [given, name] of [[markup, 'a link that is markup'], [token, 'a link']]) {
        await theirs.goto('about:blank');
        await open(theirs, `/app/link#${given}`);
        await theirs.fill('#new-password', 'tidal ledger quince');
        await press(theirs, 'Enter');
        await theirs.waitForSelector(given === token ? '[role=status]' : '[role=alert]');
        await safe(theirs, name);
    }
    // A browser lets nobody sign in by such an address.
    const plain = 'new.person@cedarbasin.example';
    await ask(page, 'PATCH', `/users/${id}`, { email: plain, reason: markup });
    await theirs.getByRole('link', { name: 'Sign in' }).click();
    await theirs.waitForSelector('#email');
    await signIn(theirs, plain, 'tidal ledger quince');
    await theirs.getByRole('button', { name: 'It was me: go on' }).waitFor();
    await safe(theirs, 'a password set by a link');
    await press(theirs, 'Enter');
    await theirs.getByRole('button', { name: 'I accept this' }).waitFor();
    await safe(theirs, 'the first day');
    await press(theirs, 'Enter');
    await theirs.waitForSelector('.person');
    ok((await theirs.textContent('.person')).includes(markup), 'the new person is named');
}

// As each name that httpd knows.
async function signingOn(browser) {
    for (const username of await act('names')) {
        const { page } = await deskWithHits(browser,
            { httpCredentials: { username, password: 'tidal ledger quince' } });
        await open(page, '/app/sign-on');
        await page.waitForSelector('main .quiet');
        await safe(page, `single sign-on as ${username.split('<')[0]}`);
    }
}

run(async (browser) => {
    const here = await deskWithHits(browser);
    const { page } = here;

    // No such record, a file that cannot be read as a table, and two changes of one record.
    here.seen.expected.push(/status of 4(?:0[49]|12)/);
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ruth);
    await page.waitForSelector('.rail');
    is(inApplication(), folders.length, 'every folder of pages is in the application');
    folders.forEach((folder) => ok(patternsOf(folder).length > 0, `pages/${folder} has screens`));
    ok(nouns().length > 5, `${nouns().length} nouns of reference data have screens`);
    const seen = await everyScreen(page, safe);
    ok(seen > 60, `${seen} screens`);
    await sentByProgram(page);
    await dialogs(page);
    await conflicting(page);
    await quarantining(page);
    await opensNoFile(here);
    const { data: [{ verificationCode }] } = await ask(page, 'GET', '/certificates?limit=1');
    await notSignedIn(browser, verificationCode);
    await signingOn(browser);
    await firstUse(browser, page);
    await until(page, () => window.hits === 0, 'nothing ran');
    quiet(here);
});

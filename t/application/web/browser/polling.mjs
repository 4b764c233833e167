// SPDX-License-Identifier: Apache-2.0
//
// Every screen, left alone for two minutes by the browser's clock: what it then asks for is
// asked in the background.
import { everyScreen, watching } from './screens.mjs';
import { act, desk, is, ok, open, quiet, run, signIn, until } from './support.mjs';

const ruth = 'ruth.calder@cedarbasin.example';
const MINUTE = 60_000;

// Requests of a page since it was left alone.
let alone = [];

const hasAsked = () => window.asked === 0;

async function leave(page, path) {
    alone = [];
    for (let minute = 0; minute < 2; minute++) {
        await page.clock.fastForward(MINUTE);
        await page.waitForFunction(hasAsked, null, { timeout: 15000 });
    }
    const own = alone.filter(({ background }) => !background).map(({ what }) => what);
    ok(alone.length > 0 && own.length === 0, `${path}: ${alone.length} requests in the background`,
        ...own);
}

// By the service's clock: nobody has used it for 16 minutes.
async function ends(page) {
    await act('rows', `UPDATE lims.user_session SET last_used_at = now() - interval '16 minutes'
        RETURNING id`);
    await page.clock.fastForward(MINUTE);
    await until(page, () => /Your session ended/.test(document.querySelector('.cover')?.textContent),
        'a page that nobody touches ends with its session');
}

run(async (browser) => {
    const here = await desk(browser);
    const { page } = here;
    // No such record, and a file that cannot be read as a table.
    here.seen.expected.push(/status of 40[49]/);
    await here.context.addInitScript(watching);
    await page.clock.install();
    page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/app/api/')) {
            alone.push({ what: `${request.method()} ${pathname}`,
                background: request.headers()['x-lims-background'] === '1' });
        }
    });
    await open(page);
    await page.waitForSelector('#email');
    await signIn(page, ruth);
    await page.waitForSelector('.rail');
    const seen = await everyScreen(page, leave);
    ok(seen > 60, `${seen} screens`);
    is(await page.locator('.cover').count(), 0, 'the session goes on meanwhile');
    await ends(page);
    quiet(here);
});

// SPDX-License-Identifier: Apache-2.0
//
// Administration in the browser, page by page, by one administrator.
import { keys } from './keys.mjs';
import { organization, signsOrganization } from './organization.mjs';
import { profiles } from './profiles.mjs';
import { reference } from './reference.mjs';
import { instruments } from './reference_instruments.mjs';
import { desk, ok, open, quiet, run, signIn } from './support.mjs';
import { users } from './users.mjs';
import { webhooks } from './webhooks.mjs';

const ruth = 'ruth.calder@cedarbasin.example';
// The administrator of a laboratory that signs.
const helen = 'helen.brandt@harborview.example';

run(async (browser) => {
    const here = await desk(browser);
    here.seen.expected.push(/status of (400|409|412)/);

    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, ruth);
    await here.page.waitForSelector('.rail a[href$="/reference"]');
    await here.page.waitForSelector('tr.cursor');
    ok(here.page.url().endsWith('/app/users'), 'an administrator begins with the users',
        here.page.url());
    await reference(here);
    await instruments(here);
    await users(browser, here);
    await keys(here);
    await webhooks(here);
    await profiles(browser, here);
    await organization(here);
    quiet(here);

    const strict = await desk(browser);
    strict.seen.expected.push(/status of 4/);
    await open(strict.page);
    await strict.page.waitForSelector('#email');
    await signIn(strict.page, helen);
    await strict.page.waitForSelector('.rail a[href$="/organization"]');
    await signsOrganization(strict, process.env.LIMS_PASSWORD);
    quiet(strict);
});

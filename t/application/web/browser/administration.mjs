// SPDX-License-Identifier: Apache-2.0
//
// What an administrator does, page by page, at one desk.
import { keys } from './keys.mjs';
import { reference } from './reference.mjs';
import { desk, open, quiet, run, signIn } from './support.mjs';
import { users } from './users.mjs';
import { webhooks } from './webhooks.mjs';

const ruth = 'ruth.calder@cedarbasin.example';

run(async (browser) => {
    const here = await desk(browser);
    here.seen.expected.push(/status of (400|409|412)/);

    await open(here.page);
    await here.page.waitForSelector('#email');
    await signIn(here.page, ruth);
    await here.page.waitForSelector('.rail a[href$="/reference"]');
    await reference(here);
    await users(browser, here);
    await keys(here);
    await webhooks(here);
    quiet(here);
});

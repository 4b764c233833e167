// SPDX-License-Identifier: Apache-2.0
//
// Morning at the counter: a client's list becomes an order, and its bottles are received by
// their labels, one of which was copied wrongly.
import { is, ok } from '../support.mjs';
import { Person } from './person.mjs';

async function signingIn(browser, email) {
    const clerk = await Person.arrives(browser, email);
    await clerk.signIn('it was another one');
    await clerk.sees(/password is wrong/i, 'a wrong password is told');
    await clerk.tabTo(/^E-mail/, 'Shift+Tab');
    await clerk.signIn();
    await clerk.page.waitForSelector('.rail a');
    return clerk;
}

async function ordering(clerk, lab) {
    await clerk.goTo('Accession');
    await clerk.fill(/^Client/, lab.client);
    await clerk.fill(/^Project/, lab.project);
    await clerk.fill(/tests/, lab.tests);
    await clerk.fill(/^Material/, lab.material);
    await clerk.fill(/^Cooler/, '4.1');
    await clerk.tabTo(/^Location/);
    await clerk.paste(lab.list);
    await clerk.sees(new RegExp(`${lab.samples} rows × 3 columns pasted`), 'the list is pasted');
    await clerk.press('Control+s');
    await clerk.sees(/all are right/, 'it is checked before anything is registered');
    await clerk.press('Control+Enter');
    await clerk.sees(/Cooler, °C: 4\.1/, 'the temperature is said to be entered with the receipt');
    await clerk.confirm();
    await clerk.sees(new RegExp(`0 of ${lab.samples} received`), 'the order is registered');
    return clerk.page.locator('tbody a.id').allInnerTexts();
}

// The labels are on the bottles by now.
async function receiving(clerk, lab, labels) {
    const [first, ...rest] = labels;
    const miscopied = first.slice(0, -1) + (first.endsWith('7') ? '8' : '7');
    await clerk.press('r');
    await clerk.page.waitForSelector('#scan-next:focus');
    await clerk.scan(miscopied);
    await clerk.sees(/Refused.*Check character wrong/, 'a label that was copied wrongly is refused');
    await clerk.scan(first);
    for (const label of rest) {
        await clerk.scan(label);
    }
    await clerk.sees(new RegExp(`${lab.samples} of ${lab.samples}.*all are here`), 'all are here');
}

// Returns the tracking ids of what has come.
export async function arriving(browser, lab) {
    const clerk = await signingIn(browser, lab.clerk);
    const labels = await ordering(clerk, lab);
    is(labels.length, lab.samples, `${lab.name}: each sample has its label`);
    await receiving(clerk, lab, labels);
    await clerk.leaves();
    return labels;
}

// SPDX-License-Identifier: Apache-2.0
//
// The second pair of eyes, the approvals, the report: by three people, each with a password
// of their own where the laboratory signs.
import { Person } from './person.mjs';

// Confirms an act, or signs it where the laboratory signs.
const agree = (person, lab) => lab.signs ? person.sign() : person.confirm();

const several = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;

const samples = (lab, verb) => `${verb} ${lab.samples} samples`;

// The samples of the day, which are the newest, are all selected in the list.
async function toSamples(person, lab, labels) {
    await person.goTo('Samples');
    await person.page.waitForSelector('tr.cursor');
    await person.select(labels.at(-1), labels.length);
}

// Waits until the list, which reads itself again, shows all selected samples in this state.
const shownAs = (person, lab, state, what) => person.until(([count, word]) =>
    [...document.querySelectorAll('tr[aria-selected=true]')]
        .filter((row) => row.textContent.includes(word)).length === count, what,
[lab.samples, state]);

async function wrongPassword(person) {
    person.meansRefusals(1, /status of 403 .*\/sample-tests\/verify$/);
    await person.answer('not the password');
    await person.sees(/The password was wrong; nothing was signed. 4 more tries/,
        'a wrong password signs nothing');
}

async function verifying(browser, lab, labels) {
    const person = await Person.at(browser, lab.verifier);
    await person.goTo('Verify');
    await person.page.waitForSelector('tr.cursor');
    await person.filter('Client', lab.clientCode);
    await person.sees(/qc_failed/, 'what was measured beside the failing control is held');
    await person.sees(new RegExp(`Choose ${lab.samples} retests`), 'a repeated run can be chosen');
    await person.press('C');
    await person.answer('The run was repeated');
    await person.sees(/Is chosen when it is verified: The run was repeated/,
        'the retest is chosen at its verification');
    await person.press('V');
    if (lab.signs) {
        await wrongPassword(person);
    }
    await agree(person, lab);
    await person.sees(/\d+ results verified/, 'all are verified at once');
    await toSamples(person, lab, labels);
    await shownAs(person, lab, 'Review', 'all can be completed');
    await person.choose(samples(lab, 'Complete'));
    await person.confirm();
    await person.sees(new RegExp(`${lab.samples} samples completed`), 'the samples are completed');
    await person.leaves();
}

export async function approving(person, lab, labels) {
    await person.goTo('Approvals');
    await person.page.waitForSelector('tr.cursor');
    // The list of samples has the newest first, so that the sample completed first stands last.
    await person.select(labels.at(-1), labels.length);
    await person.press('V');
    await agree(person, lab);
    await person.sees(new RegExp(`${several(labels.length, 'step')} approved`), 'a step of each is approved');
}

async function reporting(person, lab, labels) {
    await toSamples(person, lab, labels);
    await shownAs(person, lab, 'Ready', 'all are ready to be reported');
    await person.choose(samples(lab, 'Report'));
    await person.confirm();
    await person.sees(new RegExp(`${lab.samples} samples reported`), 'they are reported');
    await person.choose(`Issue ${lab.samples} certificates`);
    await person.confirm();
    await person.sees(new RegExp(`${lab.samples} certificates issued`),
        'certificates are issued with the report');
}

export async function releasing(browser, lab, labels) {
    await verifying(browser, lab, labels);
    for (const [i, email] of lab.approvers.entries()) {
        const person = await Person.at(browser, email);
        await approving(person, lab, labels);
        if (i === lab.approvers.length - 1) {
            await reporting(person, lab, labels);
        }
        await person.leaves();
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// A client finds the place of a sample wrong: the report is amended, approved anew, and its
// next version issued. Then an auditor asks who changed that, when, and why.
import { Person } from './person.mjs';
import { approving } from './releasing.mjs';

const REASON = 'The client corrected the place';

async function opening(officer, [label], right) {
    await officer.find(label);
    await officer.press('a');
    await officer.page.waitForSelector('[role=dialog] .corrected :focus');
    await officer.fill(/^Place/, right);
    await officer.fill(/^Reason/, REASON);
    await officer.tabTo(/^Password/);
    await officer.sign();
    await officer.sees(/The amendment of .* is open/, 'an amendment corrects the place');
}

async function issuing(officer, [label], wrong, right) {
    await officer.find(label);
    await officer.press('i');
    await officer.sign();
    await officer.sees(/version 2/, 'the next version is issued');
    await officer.sees(new RegExp(`${wrong}\\s+${right}`), 'the next version says what it changed');
}

// The trail of the sample: one line says who, when, from what to what, and why.
async function asking(auditor, [label], wrong, right) {
    await auditor.goTo('Audit');
    await auditor.page.waitForSelector('tr.cursor');
    await auditor.filter('Record', label);
    await auditor.sees(new RegExp(`${wrong}.{0,5}${right}.*${REASON}`),
        'the trail says what was changed, and why');
    await auditor.page.waitForFunction((text) => [...document.querySelectorAll('tr.cursor')]
        .every((row) => row.textContent.includes(text)), label);
    await auditor.toRow((called, text) => text.includes(right), `about ${right}`);
    await auditor.press('Space');
    await auditor.sees(/Signed.*Amended by/s,
        'the entry says under whose signature it was changed');
}

export async function amending(browser, lab, labels) {
    const one = labels.slice(0, 1);
    const right = `${lab.place} North`;
    const [first, last] = lab.approvers;
    const officer = await Person.at(browser, last);
    await opening(officer, one, right);
    const reviewer = await Person.at(browser, first);
    await approving(reviewer, lab, one);
    await reviewer.leaves();
    await approving(officer, lab, one);
    await issuing(officer, one, lab.place, right);
    await officer.leaves();
    const auditor = await Person.at(browser, lab.auditor);
    await asking(auditor, one, lab.place, right);
    await auditor.leaves();
}

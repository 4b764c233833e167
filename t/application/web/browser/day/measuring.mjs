// SPDX-License-Identifier: Apache-2.0
//
// At the bench: a run of the day's samples with its controls, one of which fails, so that the
// run is repeated; another method without controls.
import { Person } from './person.mjs';

// The worklist test by test, of one method.
async function openTests(analyst, method) {
    await analyst.goTo('Worklist');
    await analyst.tabTo(/^Test by test/);
    await analyst.press('Enter');
    await analyst.page.waitForSelector('tr.cursor');
    await analyst.press('j');
    await analyst.tabTo(/^Method/, 'Shift+Tab');
    await analyst.type(method);
    await analyst.press('Tab');
    await analyst.page.waitForFunction((one) => [...document.querySelectorAll('tr[aria-selected]')]
        .every((row) => row.textContent.includes(one)), method);
}

const cursorIn = (analyst) => analyst.page.waitForSelector('td.editing input:focus');

const saved = (analyst, what) => analyst.sees(/All is saved/, what);

// The controls from the first cell down, the results as one block from the first sample.
async function enter(analyst, controls, results, first) {
    await cursorIn(analyst);
    await analyst.press('Control+Home');
    for (const control of controls) {
        await analyst.type(control);
        await analyst.press('Enter');
    }
    await analyst.down(first);
    await analyst.paste(results.join('\n'));
    await analyst.press('Control+s');
}

// From the bench of a run to the record of its batch.
async function toBatch(analyst) {
    const number = await analyst.page.textContent('h1');
    await analyst.goTo('QC batches');
    await analyst.page.waitForSelector(`tr:has-text("${number}")`);
    await analyst.to(number);
    await analyst.press('Enter');
    await analyst.sees(/Covers \d+ test/, 'the batch says what it covers');
}

// Controls of the whole batch are entered in its record.
async function measureControls(analyst, fields) {
    await toBatch(analyst);
    for (const [name, text] of fields) {
        await analyst.fill(name, text);
    }
    await analyst.press('Control+s');
    await analyst.page.waitForFunction(() =>
        /\d values? saved/.test(document.querySelector('.said')?.textContent));
}

async function failing(analyst, { method, controls = [], fields, results }, labels) {
    await openTests(analyst, method);
    await analyst.select(labels[0], labels.length);
    await analyst.press('m');
    await analyst.confirm();
    await enter(analyst, controls, results, labels[0]);
    await saved(analyst, `${method}: a run is entered`);
    await (fields ? measureControls(analyst, fields) : toBatch(analyst));
    await analyst.sees(/Failed/, `${method}: one of the controls fails`);
    await analyst.sees(/Held/, `${method}: what the failed control holds is listed`);
}

async function repeating(analyst, { method, controlsAgain = [], fieldsAgain, after }, labels) {
    await analyst.choose('Repeat the run');
    await analyst.answer('The control failed; prepared anew');
    await enter(analyst, controlsAgain, after, labels[0]);
    await saved(analyst, `${method}: the run is repeated`);
    await (fieldsAgain ? measureControls(analyst, fieldsAgain) : toBatch(analyst));
    await analyst.sees(/Passed/, `${method}: the controls of the repeated run pass`);
}

// The bench of a method has what is open of it, of other orders too.
export async function byMethod(analyst, { method, results }, labels) {
    await openTests(analyst, method);
    await analyst.to(labels[0]);
    await analyst.press('Enter');
    await cursorIn(analyst);
    await analyst.down(labels[0]);
    await analyst.paste(results.join('\n'));
    await analyst.press('Control+s');
    await saved(analyst, `${method}: its results are pasted`);
}

export async function measuring(browser, lab, labels) {
    const analyst = await Person.at(browser, lab.analyst);
    await failing(analyst, lab.run, labels);
    await repeating(analyst, lab.run, labels);
    await byMethod(analyst, lab.bench, labels);
    await analyst.leaves();
}

// SPDX-License-Identifier: Apache-2.0
//
// A file of an instrument with two bad rows: tried, imported, held; what it means is decided
// by somebody else, and what was left out is measured again.
import { Person } from './person.mjs';
import { byMethod } from './measuring.mjs';

const OUT = 10;
const MISTYPED = 11;

const mistyped = (label) => label.slice(0, -1) + (label.endsWith('7') ? '8' : '7');

// One value is out of range, one sample was typed instead of scanned.
function fileOf(labels, { heading, line, results }) {
    const row = (label, i) => line(i === MISTYPED ? mistyped(label) : label, results[i],
        i === OUT ? 'Out of range' : '').join(',');
    return [heading.join(','), line('Blank', '0.0', '').join(','), ...labels.map(row), '']
        .join('\r\n');
}

async function importing(analyst, lab, labels) {
    await analyst.goTo('Instrument files');
    await analyst.tabTo(/^Import a file/);
    await analyst.giveFile(lab.instrument.file, fileOf(labels, lab.instrument));
    await analyst.sees(/12 results, 2 reasons; it would be held/, 'a file is tried first');
    await analyst.confirm();
    await analyst.sees(/1 held in quarantine/, 'a file with bad rows is held in quarantine');
}

// Whether the file can be released is asked while two reasons hold it, and while one does.
async function deciding(manager) {
    manager.meansRefusals(2, /status of 409 .*\/instrument-files\/\d+\/release$/);
    await manager.goTo('Instrument files');
    await manager.page.waitForSelector('tr.cursor');
    await manager.press('Enter');
    await manager.sees(/Decide 2 reasons/, 'its reasons are counted');
    await manager.page.waitForSelector('td[aria-invalid]');
    await manager.press('x');
    await manager.answer('Above the range, to be diluted');
    await manager.sees(/Decide 1 reason/, 'a row is left out');
    await manager.page.waitForSelector('[role=dialog]', { state: 'detached' });
    await manager.press('n', 'a');
    await manager.page.waitForSelector('#why:focus');
    await manager.type('Typed, not scanned');
    await manager.press('Tab', 'Enter');
    await manager.sees(/Nothing is left to decide/, 'another means the sample that it names nearly');
    await manager.choose('Release 11 results');
    await manager.answer('Compared with the bench book');
    await manager.sees(/11 results written\./, 'the rest is released');
}

export async function importingFile(browser, lab, labels) {
    const analyst = await Person.at(browser, lab.importer);
    await importing(analyst, lab, labels);
    const manager = await Person.at(browser, lab.manager);
    await deciding(manager);
    await manager.leaves();
    const { method, again } = lab.instrument;
    await byMethod(analyst, { method, results: [again] }, [labels[OUT]]);
    await analyst.leaves();
}

// SPDX-License-Identifier: Apache-2.0
//
// A laboratory's day by keyboard alone, in both laboratories of the demonstration: the one
// whose rules are few, and the one that has every strict rule on.
import { run } from './support.mjs';
import { amending } from './day/amending.mjs';
import { arriving } from './day/arriving.mjs';
import { importingFile } from './day/importing.mjs';
import { cedar, harborview } from './day/laboratories.mjs';
import { measuring } from './day/measuring.mjs';
import { releasing } from './day/releasing.mjs';

async function day(browser, lab) {
    const labels = await arriving(browser, lab);
    await measuring(browser, lab, labels);
    await importingFile(browser, lab, labels);
    await releasing(browser, lab, labels);
    await amending(browser, lab, labels);
}

run((browser) => Promise.all([cedar, harborview].map((lab) => day(browser, lab))));

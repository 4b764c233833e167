// SPDX-License-Identifier: Apache-2.0
//
// Whose days they are: the people of a laboratory, what they are sent, what they find.

// A time of so many hours ago, as it is written in that laboratory.
function ago(hours, timeZone) {
    const parts = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short',
        timeStyle: 'short' });
    return parts.format(Date.now() - hours * 3600_000);
}

const tab = (rows) => rows.map((row) => row.join('\t')).join('\n');

// A client's list as it is copied from a spreadsheet.
const listOf = (count, place, coc, zone) => tab([['Sampling point', 'Sampled', 'COC'],
    ...Array.from({ length: count }, (_, i) =>
        [`${place} ${i + 1}`, ago(5 + i / 60, zone), `${coc}-${String(i + 1).padStart(2, '0')}`])]);

export const cedar = {
    name: 'Cedar Basin', zone: 'America/Denver',
    clerk: 'ben.walsh@cedarbasin.example',
    client: 'Sunrise Trailer Park', project: 'STP-WELL', material: 'Drinking water',
    tests: 'NO3N, TURB, COD',
    samples: 12, list: listOf(12, 'Lot', 'COC-88', 'America/Denver'),
};

export const harborview = {
    name: 'Harborview', zone: 'America/New_York',
    clerk: 'tom.becker@harborview.example',
    client: 'Alder Pharma', project: 'ALD-WFI', material: 'Water for injection',
    tests: 'ENDO, PWTOC',
    samples: 4, list: listOf(4, 'Loop point', 'COC-87', 'America/New_York'),
};

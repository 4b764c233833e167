// SPDX-License-Identifier: Apache-2.0
//
// Laboratories whose working days are tested: their people, their orders and files, their
// equipment.

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
        [`${place} ${i + 1}`, ago(5 - i / 60, zone), `${coc}-${String(i + 1).padStart(2, '0')}`])]);

const values = (count, first, step, places) =>
    Array.from({ length: count }, (_, i) => (first + i * step).toFixed(places));

export const cedar = {
    name: 'Cedar Basin', zone: 'America/Denver',
    clerk: 'ben.walsh@cedarbasin.example',
    client: 'Sunrise Trailer Park', clientCode: 'SUNRISE',
    project: 'STP-WELL', material: 'Drinking water',
    tests: 'NO3N, TURB, COD',
    samples: 12, list: listOf(12, 'Lot', 'COC-88', 'America/Denver'),
    analyst: 'mateo.ortiz@cedarbasin.example',
    // Nitrate, with its controls at the bench, of which the fortified blank is found too low;
    // turbidity.
    run: { method: 'EPA 300.0', controls: ['0.02', '4.1'], controlsAgain: ['0.02', '4.9'],
        results: values(12, 2.1, 0.13, 2), after: values(12, 2.4, 0.13, 2) },
    bench: { method: 'EPA 180.1', results: values(12, 0.21, 0.03, 2) },
    instrument: { file: 'cod-today.csv', method: 'EPA 410.4', results: values(12, 12, 3, 0),
        again: '118',
        heading: ['Sample Name', 'Dilution factor', 'Ordinate [A]', 'Concentration [mg/L]', 'Error'],
        line: (name, result, error) => [name, 1, 0.1, result, error] },
    importer: 'yuki.tanaka@cedarbasin.example', manager: 'lena.fischer@cedarbasin.example',
    verifier: 'yuki.tanaka@cedarbasin.example', signs: false,
    approvers: ['lena.fischer@cedarbasin.example', 'grace.okafor@cedarbasin.example'],
    results: 36, place: 'Lot 1', auditor: 'ada.lowe@cedarbasin.example',
};

export const harborview = {
    name: 'Harborview', zone: 'America/New_York',
    clerk: 'tom.becker@harborview.example',
    client: 'Alder Pharma', clientCode: 'ALDER',
    project: 'ALD-WFI', material: 'Water for injection',
    tests: 'ENDO, PWTOC, PWCOND',
    samples: 12, list: listOf(12, 'Loop point', 'COC-87', 'America/New_York'),
    analyst: 'sofia.reyes@harborview.example',
    // Endotoxins, with controls of the whole batch, of which the blank is contaminated;
    // organic carbon.
    run: { method: 'USP <85>',
        fields: [[/^Measured value of NEG/, '0.031'], [/^Value before the spike.*LFM/, '0'],
            [/^Measured value of LFM/, '0.47']],
        fieldsAgain: [[/^Measured value of NEG/, '0.002'], [/^Value before the spike.*LFM/, '0'],
            [/^Measured value of LFM/, '0.49']],
        results: values(12, 0.012, 0.003, 3), after: values(12, 0.007, 0.002, 3) },
    bench: { method: 'USP <643>', results: values(12, 61, 4, 0) },
    instrument: { file: 'conductivity-today.csv', method: 'USP <645>',
        results: values(12, 0.61, 0.04, 2), again: '1.12',
        heading: ['Sample Name', 'Conductivity [uS/cm]', 'Error'],
        line: (name, result, error) => [name, result, error] },
    importer: 'clara.dubois@harborview.example', manager: 'nora.lindqvist@harborview.example',
    verifier: 'amir.rahimi@harborview.example', signs: true,
    approvers: ['nora.lindqvist@harborview.example', 'daniel.cho@harborview.example'],
    results: 36, place: 'Loop point 1', auditor: 'ada.lowe@harborview.example',
};

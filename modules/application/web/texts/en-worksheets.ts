// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of worksheets.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const worksheets = {
    title: 'Worksheets',
    list: 'Worksheets, newest first',
    none: 'No worksheet has been begun.',
    noneWhat: 'A method that asks for a worksheet has a template; a worksheet is begun from its test.',
    columns: { test: 'Test', sample: 'Sample', template: 'Template', status: 'Status',
        missing: 'Missing', begun: 'Begun' },
    status: { missing: 'not begun', incomplete: 'incomplete', unsigned: 'not signed',
        complete: 'complete' },
    lacking: 'missing',
    whenSaved: 'follows when the values are saved',
    // Fields into which a label is scanned, by kind.
    scan: { reagent_lot: 'scan or type the lot', media_lot: 'scan or type the lot',
        instrument: 'scan or type the instrument' } as Partial<Record<string, string>>,
    missing: (n: number) => n ? count(n, 'field') : '',
    overview: 'Overview',
    begin: 'Begin the worksheet',
    noneOfTest: 'The test has no worksheet yet.',
    beginWhat: 'It is begun on the template that is active now.',
    facts: 'Facts',
    fact: { sample: 'Sample', test: 'Test', template: 'Template', begun: 'Begun',
        by: (name: string) => `by ${name}` },
    fields: 'Values',
    yes: 'yes', no: 'no', empty: '',
    save: (n: number) => n ? `Save ${count(n, 'value')}` : 'Save',
    saved: (n: number) => `${count(n, 'value')} saved.`,
    nothing: 'No value was changed.',
    signedHint: 'It is signed: withdraw the signatures to correct a value.',
    steps: 'Signatures',
    signed: (meaning: string, name: string) => `${meaning} by ${name}`,
    waits: 'waits',
    next: 'next',
    by: (role: string | null) => role === null ? 'by anybody who may sign' : `by: ${role}`,
    notYours: (step: string, role: string | null) => `${step} is signed in the role ${role ?? ''},`
        + ' which you do not have.',
    meaning: 'Meaning',
    meanings: { performed: 'performed', reviewed: 'reviewed', witnessed: 'witnessed' },
    sign: (step: string) => `Sign ${step}`,
    signWhat: (meaning: string) => `The signature says: ${meaning}. It covers every value here.`,
    signedOff: (step: string) => `${step} is signed.`,
    saveFirst: 'Save the values first.',
    lacks: (fields: string[]) => `Missing: ${fields.join(', ')}.`,
    withdraw: 'Withdraw the signatures',
    withdrawn: 'The signatures are withdrawn.',
};

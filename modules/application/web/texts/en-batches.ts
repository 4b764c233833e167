// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of QC batches.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const batches = {
    title: 'QC batches',
    list: 'QC batches, newest first',
    none: 'There is no QC batch yet.',
    noneWhat: 'A batch is made from a template of its method, by hand, or by the controls of an'
        + ' instrument file.',
    states: 'Show by status',
    all: 'All',
    status: { open: 'Open', passed: 'Passed', failed: 'Failed', overridden: 'Overridden' },
    failing: 'Open, a control failed',
    columns: { number: 'Number', method: 'Method', date: 'Analysed', instrument: 'Instrument',
        template: 'Template',
        status: 'Status', tests: 'Tests', evaluated: 'Evaluated', by: 'By', notes: 'Notes' },
    tabs: { controls: 'Controls' },
    tabsOf: (name: string) => `QC batch ${name}`,
    fromFile: 'from an instrument file',
    madeBy: (name: string) => `made by ${name}`,
    evaluatedBy: (name: string) => `evaluated by ${name}`,
    overridden: (who: string, why: string) => `Overridden by ${who}: “${why}”`,

    make: 'New batch',
    makeFrom: (method: string, name: string) => `${method}: ${name}`,
    makeBare: 'Make a batch without a template',
    made: (name: string) => `${name} is made.`,

    controls: 'Controls of the batch',
    noControls: 'The batch has no control yet.',
    heads: { type: 'Control', analyte: 'Analyte', expected: 'Expected', measured: 'Measured',
        evaluated: '% R, RPD', limits: 'Limits', verdict: 'Verdict', rules: 'Rules' },
    passed: 'passed', failed: 'failed', waits: 'no value yet',
    would: { passed: 'would pass', failed: 'would fail' },
    batchWide: 'the batch',
    out: 'left out of its chart',
    field: {
        measuredValue: (control: string) => `Measured value of ${control}`,
        measuredText: (control: string) => `Outcome of ${control}`,
        nativeValue: (control: string) => `Value before the spike, or of the first, of ${control}`,
        expectedValue: (control: string) => `Expected value of ${control}`,
    },
    short: { measuredValue: 'found', measuredText: 'outcome', nativeValue: 'before',
        expectedValue: 'true' },
    save: (n: number) => `Save ${count(n, 'value')}`,
    saveNone: 'No value was typed.',
    saved: (n: number) => `${count(n, 'value')} saved.`,
    notSaved: (control: string, why: string) => `${control}: ${why}`,
    number: 'A number is expected, with a decimal point and no other separator: 1234.5.',
    sum: (failed: number, waiting: number, all: number) => [count(all, 'control'),
        failed ? `${failed} failed` : '', waiting ? `${waiting} without a value` : '']
        .filter(Boolean).join(', '),
    chart: 'Chart',
    glanceWaits: 'The chart is read',
    glance: (runs: number, run: number | null, z: string, broken: string[]) => [
        run === null ? count(runs, 'run') : `Run ${run} of ${runs}`, z ? `z ${z}` : '',
        broken.length ? `breaks ${broken.join(', ')}` : '',
    ].filter(Boolean).join(', '),

    evaluate: 'Evaluate',
    evaluated: (name: string, status: string) => `${name}: ${status.toLowerCase()}.`,
    evaluateLeft: (n: number) => `${count(n, 'control')} without a value.`,
    correct: (control: string) => `Correct ${control}`,
    correctShort: 'Correct',
    corrected: (control: string) => `${control} is corrected; the batch was evaluated again.`,
    correctValue: 'Measured value',
    correctReason: 'Reason, kept with the control',

    form: {
        create: 'Add a control',
        change: (control: string) => `Change ${control}`,
        created: (control: string) => `${control} is added.`,
        members: {
            controlType: 'Control', testDefinitionId: 'Analyte', criterion: 'Accepted when',
            expectedValue: 'Expected value', nativeValue: 'Value before the spike, or of the first',
            measuredValue: 'Measured value', lowerLimit: 'Lower limit', upperLimit: 'Upper limit',
            unit: 'Unit', expectedText: 'Expected outcome', measuredText: 'Outcome',
            level: 'Level', lot: 'Lot of the control', notes: 'Notes',
        },
    },

    cover: 'Cover tests',
    coverWhich: 'Tests of the method that are open, and results that wait to be verified',
    coverNone: 'No test of the method is open or waits to be verified that the batch does not cover.',
    covered: (n: number) => `${count(n, 'test')} covered.`,
    uncover: 'Take tests out',
    uncoverWhich: 'Tests that the batch covers',
    uncovered: (n: number) => `${count(n, 'test')} taken out.`,
    override: (name: string) => `Override ${name}`,
    overrideWhat: 'The results that the batch covers now are accepted although it did not pass.',
    overrideDone: (name: string) => `${name} is overridden.`,
    failedTitle: (name: string) => `${name} failed`,
    repeat: 'Repeat the run',
    repeatWhat: 'A new batch with the same controls. What was entered stays as it is under this'
        + ' one, and is tested again; one result of each is chosen when they are verified.',
    repeated: (from: string, to: string) => `${to} repeats ${from}.`,
    bench: 'Enter results',

    samples: (n: number) => `Covers ${count(n, 'test')}`,
    noSamples: 'The batch covers no test yet.',
    fates: {
        reported: 'already reported: it is under review until the investigation is closed',
        verified: 'verified: it cannot be reported',
        held: 'held until the batch passes or is overridden',
        free: 'nothing holds it',
    },
    fateGroups: { reported: 'Already reported', verified: 'Verified', held: 'Held', free: 'Covered' },
};

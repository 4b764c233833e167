// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of the worklist and of the bench.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

interface Limits {
    lower: number | null;
    upper: number | null;
    value: number | null;
    text: string | null;
    unit: string;
}

const between = (lower: number | null, upper: number | null, unit: string): string => {
    const bounds = lower === null ? `at most ${upper ?? ''}`
        : upper === null ? `at least ${lower}` : `${lower} to ${upper}`;
    return `${bounds} ${unit}`.trim();
};

const limitTexts: Readonly<Record<string, (limits: Limits) => string>> = {
    recovery: ({ lower, upper, value, unit }) =>
        `${between(lower, upper, '%')} of ${value ?? ''} ${unit}`.trim(),
    rpd: ({ upper }) => `at most ${upper ?? ''} % apart`,
    maximum: ({ upper, unit }) => between(null, upper, unit),
    range: ({ lower, upper, unit }) => between(lower, upper, unit),
    expected: ({ text }) => text ?? '',
};

export const bench = {
    sheet: (run: string) => `Results of ${run}`,
    heads: {
        trackingId: 'Tracking id', client: 'Client', priority: 'Priority', left: 'Holding left',
    },
    priority: { rush: 'rush', stat: 'stat' },
    passed: (time: string) => `passed ${time} ago`,
    severalLimits: 'limit by sample',
    reportingLimit: (limit: number) => `RL ${limit}`,
    verified: (who: string) => who ? `Verified by ${who}, and locked.` : 'Verified and locked.',
    returned: (who: string, why: string) => `Sent back${who ? ` by ${who}` : ''}: ${why}`
        + (/[.!?]$/.test(why) ? '' : '.'),
    inactive: 'Cancelled, or set aside for a retest.',
    outside: (limit: string) => limit ? `Out of specification: ${limit}.` : 'Out of specification.',
    presumptive: 'Presumptive: it has to be confirmed.',
    somebodyElse: 'Somebody else is signed in: this was not sent.',
    unsaved: (n: number, run: string) => `${count(n, 'cell')} not saved: ${run}`,
    saving: (saved: number, of: number, run: string) =>
        `${saved.toLocaleString('en-US')} of ${count(of, 'cell')} saved: ${run}`,
    run: (run: string, n: number) => `${run}, ${count(n, 'sample')}`,
    loading: 'the run',
    aBatch: 'QC batch',
    empty: 'Nothing is open here.',
    more: (n: number) => `The run has ${count(n, 'more row')}, below the others.`,
    toWorklist: 'Go to the worklist',
    batch: (method: string) => method,
    qcStatus: { open: 'open', passed: 'passed', failed: 'failed', overridden: 'overridden' },
    notANumber: 'The control is measured in numbers, with a decimal point and no other '
        + 'separator.',
    controls: {
        whole: 'Whole run',
        types: {
            MB: 'Method blank', LRB: 'Reagent blank', FB: 'Field blank', LCS: 'Control sample',
            LFB: 'Fortified blank', LCSD: 'Control sample, duplicate', MS: 'Matrix spike',
            LFM: 'Fortified matrix', MSD: 'Matrix spike, duplicate', DUP: 'Duplicate',
            ICV: 'Initial calibration check', QCS: 'Quality control sample',
            CCV: 'Calibration check', IPC: 'Performance check', ICB: 'Initial calibration blank',
            CCB: 'Calibration blank', SUR: 'Surrogate', IS: 'Internal standard',
            CRM: 'Reference material', PT: 'Proficiency test', POS: 'Positive control',
            NEG: 'Negative control', STR: 'Sterility',
        } as Readonly<Record<string, string>>,
        fails: (evaluated: number | null) => evaluated === null ? 'The control fails.'
            : `The control fails: ${evaluated}.`,
        broken: (rules: string) => `It breaks ${rules}.`,
        limit: (criterion: string, given: Limits) => limitTexts[criterion]?.(given) ?? '',
    },
    views: {
        label: 'View', next: 'Next view of the run',
        sequence: 'Sequence for the instrument (CSV)',
        rows: 'Samples as rows', columns: 'Samples as columns', list: 'A row for each test',
        tooMany: (most: number) => `Of at most ${most} samples.`,
        tooLong: (most: number) => `Of at most ${most} tests.`,
    },
    settings: {
        instrument: 'Instrument',
        noInstrument: 'not said',
        label: 'Settings of the run',
        reagentLot: 'Reagent lot',
        mediaLot: 'Media lot',
        analyzedAt: 'Analysed',
        unchanged: 'as it is',
        enteredWith: (what: string) => `Entered with: ${what}`,
        until: (day: string) => `, to ${day}`,
        holdsFor: 'For',
        all: 'the run',
        selected: 'selected cells',
    },
    moving: {
        label: 'Samples', move: 'move on', stay: 'stay',
        moved: (begun: number, completed: number, refused: number) => [
            begun ? `${count(begun, 'sample')} in processing` : '',
            completed ? `${count(completed, 'sample')} completed` : '',
            refused ? `${count(refused, 'sample')} cannot be completed` : '',
        ].filter(Boolean).join(', '),
    },
    worklist: {
        title: 'Worklist',
        label: 'Open tests, by what they have in common',
        empty: 'No test is open.',
        emptyWhat: 'Tests stand here from the receipt of their sample until they have a result.',
        toReceive: 'Receive samples',
        heads: {
            method: 'Method', open: 'Open', analytes: 'Analytes', urgent: 'Urgent',
            left: 'First holding time ends', ends: 'Holding time ends',
        },
        count: (n: number) => count(n, 'open test'),
        views: { label: 'Worklist', method: 'By method', instrument: 'By instrument',
            due: 'By day due', tests: 'Test by test' },
        without: { method: 'without a method', instrument: 'on no instrument yet',
            due: 'without a day' },
        group: { method: 'Method', instrument: 'Instrument', due: 'Report due' },
        back: 'sent back',
        tabTitle: (n: number) => n ? `(${n.toLocaleString('en-US')}) Worklist` : 'Worklist',
        testsLabel: 'Open tests, what ends first at the top',
        columns: {
            left: 'Holding left', priority: 'Priority', trackingId: 'Tracking id',
            material: 'Material', client: 'Client', test: 'Test', method: 'Method',
            limit: 'Limit', run: 'Run', state: 'Status', who: 'Taken by', stored: 'Stored',
        },
        allMethods: 'all methods',
        mine: 'Taken by me',
        only: (what: string, which: string) => `${what}: ${which}`,
        print: 'Print',
        printed: 'Printed',
        tests: 'Tests',
        samples: (n: number) => count(n, 'sample'),
        sequence: 'Sequence',
        sequenceWhat: 'Positions and names as the sequence table of an instrument takes them (CSV)',
        take: (n: number) => `Take ${count(n, 'test')}`,
        taken: (n: number) => `${count(n, 'test')} taken.`,
        give: (n: number) => `Give ${count(n, 'test')} back`,
        given: (n: number) => `${count(n, 'test')} given back.`,
        run: (n: number) => `Make a run of ${count(n, 'test')}`,
        runWhat: 'A run has a bench of its own. Where the method has a QC template, it is a batch'
            + ' with the controls of the template.',
        oneMethod: 'A run is of one method: choose tests of one.',
    },
};

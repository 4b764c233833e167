// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of control charts.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

const list = (parts: string[]): string => parts.join(', ');

export const charts = {
    title: 'Control charts',
    one: 'Control chart',
    figure: 'Levey-Jennings chart',
    none: 'There is no control chart yet.',
    noneWhat: 'A chart begins by itself with the first value of a control that has a number and'
        + ' a test.',
    dimensions: {
        testDefinitionId: 'Analyte', controlType: 'Control', criterion: 'Criterion',
        level: 'Level', instrumentId: 'Instrument', lot: 'Standard',
    },
    criterion: {
        recovery: 'recovery', rpd: 'relative difference', maximum: 'at most', range: 'range',
        expected: 'as expected',
    },
    any: 'not given',
    from: 'From',
    to: 'Until',
    runs: (n: number) => count(n, 'run'),
    caption: (analyte: string, control: string, method: string, n: number) =>
        list([analyte, control, method, count(n, 'run')].filter(Boolean)),
    describe: (base: string, broken: string) => `${base} ${broken} The table below has every point.`,
    base: (mean: string, s: string, unit: string, of: string) =>
        `Mean ${mean}, s ${s} ${unit}${of ? ` ${of}` : ''}.`,
    baseFirst: (n: number) => `of the first ${n}`,
    baseFixed: 'as fixed',
    noBase: 'Fewer than 5 accepted runs: no rule is applied yet.',
    outside: (limits: string) => `limits of the method, ${limits}, lie outside the drawing`,
    and: (low: string, high: string) => `${low} and ${high}`,
    brokenNone: 'No rule is broken',
    broken: (n: number, what: string) => `${count(n, 'rule')} broken: ${what}`,
    brokenAt: (rule: string, from: number, to: number) =>
        from === to ? `${rule} at run ${from}` : `${rule} at runs ${from} to ${to}`,
    baseline: (n: number) => `baseline: the first ${n}`,
    methodLimit: (value: string) => `limit of the method: ${value}`,
    point: (run: number, date: string, batch: string, value: string, rules: string) =>
        `Run ${run}, ${date}, ${batch}: ${value}${rules ? `, breaks ${rules}` : ''}`,
    table: 'Points of the chart, latest first',
    columns: { run: 'Run', date: 'Date', batch: 'Batch', found: 'Found', z: 'z', rule: 'Rule',
        limits: 'Limits', verdict: 'Verdict', out: 'Left out' },
    passed: 'passed', failed: 'failed',
    leaveOut: (run: number) => `Leave out run ${run}`,
    leftOut: (run: number) => `Run ${run} is left out of the chart.`,
    leaveOutWhat: 'The point stays in the chart and in its batch; mean, s and rules are without it.',
    takeIn: (run: number) => `Take run ${run} in again`,
    takenIn: (run: number) => `Run ${run} counts again.`,
    openBatch: (name: string) => `Open ${name}`,
    csv: 'CSV',
    copy: 'Copy the table',
    copied: (n: number) => `${count(n, 'row')} copied, to be pasted into a spreadsheet.`,
    change: 'Baseline and rules',
    changed: 'Baseline and rules are changed.',
    form: {
        kind: 'Mean and s',
        first: 'of the first accepted runs', fixed: 'fixed',
        n: 'Number of runs, 5 to 1,000', mean: 'Mean', s: 's',
        rules: 'Rules that are applied',
        save: 'Change baseline and rules',
        standingFixed: (mean: number | null, s: number | null) => `mean ${mean}, s ${s}`,
        standingFirst: (n: number | null) => `mean and s of the first ${n} runs`,
        standing: (base: string, rules: string) =>
            rules ? `${base}, with the rules ${rules}` : `${base}, with no rule`,
    },
    ruleOf: {
        '1-2s': 'one run beyond 2 s (a warning)', '1-3s': 'one run beyond 3 s',
        '2-2s': 'two in a row beyond 2 s on one side',
        'R-4s': 'two of a batch beyond 2 s on opposite sides',
        '3-1s': 'three in a row beyond 1 s on one side',
        '4-1s': 'four in a row beyond 1 s on one side',
        '7-T': 'seven in a row up, or down', '10-x': 'ten in a row on one side of the mean',
    } satisfies Record<string, string>,
};

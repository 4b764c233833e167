// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of reviewing results.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const verify = {
    title: 'Verify',
    label: 'Results to verify, by run',
    sum: (results: number, runs: number) => `${count(results, 'result')} in ${count(runs, 'run')}`,
    tabTitle: (n: number) => n ? `(${n}) Verify` : 'Verify',
    first: 'First',
    next: 'Next',
    none: 'No result waits to be verified.',
    noneWhat: 'Results stand here from the moment they are entered until they are verified.',
    columns: {
        tick: 'Verify', trackingId: 'Tracking id', place: 'Sample', test: 'Test',
        result: 'Result', unit: 'Unit', limit: 'Limit', lot: 'Lot',
        previous: 'Last 3 here', entered: 'Entered by',
    },
    filter: { testDefinitionId: 'Test', clientId: 'Client', priority: 'Priority',
        enteredSince: 'Entered since' },
    runOf: (people: string[]) => `entered by ${people.join(', ')}`,
    results: (n: number) => count(n, 'result'),
    noMethod: 'No method',
    qc: { open: 'open', passed: 'passed', failed: 'failed', overridden: 'overridden' } as
        Record<string, string>,
    tick: (test: string, sample: string) => `${test} of ${sample}`,
    toggle: 'Tick or untick the result',
    verify: (n: number) => `Verify ${count(n, 'result')}`,
    verifyNone: 'No result is ticked.',
    verified: (n: number) => `${count(n, 'result')} verified.`,
    verifyWhat: 'You have verified each of these results. Each gets its own signature and is locked.',
    outside: (n: number) => `${n} of them ${n === 1 ? 'is' : 'are'} out of specification.`,
    choosing: (n: number) => `${count(n, 'of them is', 'of them are')} also chosen for the report.`,
    sendBack: 'Send back',
    sendBackOne: (what: string) => `Send ${what} back`,
    sendBackTo: 'To',
    sendBackToAnybody: 'anybody',
    sentBack: (code: string) => `${code} is sent back to be entered again.`,
    retest: 'Retest',
    choose: 'Choose this one',
    chooseOne: (what: string) => `Choose ${what} for the report`,
    chooseMany: (n: number) => n === 1 ? 'Choose the retest' : `Choose ${n} retests`,
    chooseWhat: 'What is chosen stands in the report, and what it repeats is set aside: when it is'
        + ' verified, under the same password.',
    chooseVerified: 'You have chosen this result for the report. It stands there instead of the other'
        + ' results of this test, which are set aside.',
    choiceMade: (what: string) => `${what} is chosen for the report.`,
    chosen: (reason: string) => `Is chosen when it is verified: ${reason}`,
    rawFile: (name: string, row: number) => `${name}, row ${row}`,
    look: {
        outside: (value: string, limit: string) => `Out of specification: ${value}, limit ${limit}`,
        presumptive: 'Presumptive: awaits confirmation',
        holding: 'The holding time had passed when it was analysed',
        qc: (name: string, status: string) => `QC batch ${name} is ${status}`,
        worksheet: { missing: 'The worksheet is missing', incomplete: 'The worksheet is incomplete',
            unsigned: 'The worksheet is not signed' } as Record<string, string>,
        undecided: 'One of several results of this test: none is reported until one is chosen',
        own: (who: string) => `Entered by you: who entered a value does not verify it. ${who}`,
        stale: 'Entered anew since you looked at it',
    },
    foot: (ticked: number) => `${ticked} ticked.`,
    footRest: (own: number, blocked: number, open: number, back: number) => [
        open ? `${open} to look at` : '',
        own ? `${own} entered by you` : '',
        blocked ? `${blocked} blocked` : '',
        back ? `${back} sent back` : '',
    ].filter(Boolean).join('; '),
};

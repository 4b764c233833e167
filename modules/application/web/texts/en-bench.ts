// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of the worklist and of the bench.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const bench = {
    sheet: (run: string) => `Results of ${run}`,
    heads: {
        trackingId: 'Tracking id', client: 'Client', priority: 'Priority', left: 'Holding left',
    },
    priority: { rush: 'rush', stat: 'stat' },
    passed: (time: string) => `passed ${time} ago`,
    severalLimits: 'limit by sample',
    reportingLimit: (limit: number) => `RL ${limit}`,
    verified: 'Verified and locked.',
    inactive: 'Cancelled, or set aside for a retest.',
    outside: (limit: string) => limit ? `Out of specification: ${limit}.` : 'Out of specification.',
    presumptive: 'Presumptive: it has to be confirmed.',
    somebodyElse: 'Somebody else is signed in: this was not sent.',
    run: (run: string, n: number) => `${run}, ${count(n, 'sample')}`,
    loading: 'the run',
    empty: 'Nothing is open here.',
    toWorklist: 'Go to the worklist',
    settings: {
        label: 'Settings of the run',
        reagentLot: 'Reagent lot',
        mediaLot: 'Media lot',
        analyzedAt: 'Analysed',
        unchanged: 'as it is',
        until: (day: string) => `, to ${day}`,
        holdsFor: 'For',
        all: 'the run',
        selected: 'selected cells',
    },
    worklist: {
        title: 'Worklist',
        label: 'Open tests by method',
        empty: 'Nothing is open: samples that are received appear here.',
        noMethod: 'without a method',
        heads: {
            method: 'Method', open: 'Open', analytes: 'Analytes', urgent: 'Urgent',
            left: 'First holding time ends',
        },
        count: (n: number) => count(n, 'open test'),
    },
};

// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of confirmations.
export const confirmations = {
    title: 'Confirmations',
    list: 'Presumptive results, newest first',
    listDue: 'Readings due today, the earliest first',
    dueToday: 'Due today',
    none: 'Nothing awaits confirmation.',
    noneWhat: 'A presumptive positive stands here until it is confirmed or refuted.',
    show: 'Show by state',
    status: { pending: 'Pending', confirmed: 'Confirmed', refuted: 'Refuted' },
    columns: {
        sample: 'Sample', test: 'Test', result: 'Result', since: 'Presumptive since',
        next: 'Next step', due: 'Read due', status: 'Status',
    },
    noPlan: 'no plan left',
    readIn: (left: string) => `in ${left}`,
    readOver: (ago: string) => `${ago} over`,
    overview: 'Overview',
    facts: 'Facts',
    fact: { sample: 'Sample', test: 'Test', result: 'Presumptive result', since: 'Since',
        state: 'Status', next: 'Next step', due: 'Read due' },
    steps: {
        title: 'Readings', none: 'Nothing has been read yet.', no: 'No.', medium: 'Medium',
        procedure: 'Procedure', read: 'Read', reading: 'Reading', outcome: 'Outcome', by: 'By',
        notes: 'Notes',
    },
    plan: {
        title: 'Plan', none: 'The test has no plan of confirmation: its readings are up to the'
            + ' microbiologist.',
        after: (hours: number) => `read after ${hours} h`, done: 'read', next: 'next',
    },
    step: 'Record a reading',
    recorded: (code: string) => `The reading of ${code} is recorded.`,
    change: (code: string) => `Change ${code}`,
    members: { medium: 'Medium', mediaLotId: 'Media lot', procedure: 'Procedure',
        readAt: 'Read at', reading: 'Reading', outcome: 'Outcome', notes: 'Notes' },
    decide: { confirmed: 'Confirm', refuted: 'Refute' },
    decideWhat: {
        confirmed: 'The presumptive positive is confirmed: the result stands as it is.',
        refuted: 'The presumptive positive did not confirm.',
    },
    decided: (code: string, outcome: string) => `${code}: ${outcome}.`,
};

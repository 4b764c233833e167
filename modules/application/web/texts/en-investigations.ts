// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of investigations.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const investigations = {
    title: 'Investigations',
    list: 'Investigations, newest first',
    none: 'Nothing is investigated.',
    noneWhat: 'A result out of specification opens an investigation where the policy says so; others'
        + ' are opened by people.',
    phases: 'Show by phase',
    open: 'All open',
    closed: 'Closed',
    status: {
        opened: 'Opened', phase_1: 'Phase 1', phase_2: 'Phase 2', conclusion: 'Conclusion',
        capa_required: 'CAPA', closed: 'Closed', cancelled: 'Cancelled',
    },
    kind: {
        oos: 'out of specification', oot: 'out of trend', oof: 'out of expectation',
        deviation: 'deviation', capa: 'CAPA', complaint: 'complaint', qc_failure: 'QC failure',
        media_failure: 'media failure', holding_time: 'holding time', pt_failure: 'proficiency test',
    },
    columns: {
        number: 'Number', title: 'Title', kind: 'Kind', about: 'About', phase: 'Phase',
        opened: 'Opened', clock: 'Clock', assignee: 'Worked on by',
    },
    left: (days: number) => days === 0 ? 'due today' : `${count(days, 'day')} left`,
    over: (days: number) => `${count(days, 'day')} over`,
    closedOn: (day: string) => `closed ${day}`,
    noClock: 'no due day',
    overview: 'Overview',
    edit: 'Edit',
    fact: {
        title: 'Facts', what: 'Title', kind: 'Kind', about: 'About', sample: 'Sample', test: 'Test', batch: 'QC batch', lot: 'Lot',
        file: 'Instrument file',
        opened: 'Opened', by: (name: string) => `by ${name}`, due: 'Due', assignee: 'Worked on by',
        closed: 'Closed', parent: 'Follows from',
    },
    what: 'What happened',
    values: {
        label: 'Values of the test', value: 'Value', at: 'Entered', by: 'By', first: 'opened this',
        withdrawn: 'withdrawn', limit: (limit: string) => `Limit ${limit}`, noLimit: 'no limit',
    },
    noValue: 'No value belongs to it.',
    causes: 'What was found',
    cause: 'Root cause', conclusion: 'Conclusion', notYet: 'not yet written',
    following: 'Followed by',
    follow: 'Open a CAPA of it',
    checks: {
        sample_identity: 'the sample and its identity', method_known: 'the analyst knows the method',
        raw_data: 'the raw data', calculations: 'the calculations', instrument: 'the instrument',
        standards_and_reagents: 'standards and reagents',
        method_performance: 'how the method performed',
        retained_solutions: 'the solutions that were kept',
    } as Record<string, string>,
    hypotheses: 'Hypotheses', retestPlan: 'Retest plan',
    plan: {
        writtenBy: (name: string) => `written by ${name}`,
        by: (name: string) => `approved by ${name}`, waits: 'not approved',
        approve: 'Approve the retest plan',
        approveOf: (number: string) => `Approve the retest plan of ${number}`,
        approveWhat: 'The test is repeated by this plan. A later change of the plan ends the'
            + ' approval. The signature covers what has been found so far, as it stands here.',
        own: 'The plan is approved by another person than the one who wrote it.',
        done: (number: string) => `The retest plan of ${number} is approved.`,
    },
    looked: (done: number, of: number) => `Looked at in phase 1: ${done} of ${of}`,
    actions: {
        title: 'Actions', label: 'Actions', none: 'No action has been agreed.',
        text: 'Action', owner: 'Who', due: 'Due', done: 'Done',
        finish: (text: string) => `Done: ${text}`, finishShort: 'Done',
        finished: 'The action is done.',
        unfinish: (text: string) => `Not done: ${text}`, unfinishShort: 'Not done',
        unfinished: 'The action is open again.',
    },
    advance: {
        opened: 'Open', phase_1: 'Begin phase 1', phase_2: 'Go on to phase 2',
        conclusion: 'Go to the conclusion', capa_required: 'Require a CAPA', closed: 'Close',
        cancelled: 'Cancel',
    },
    openAlready: (number: string) => `${number} of it is open already.`,
    advanced: (number: string, phase: string) => `${number}: ${phase}.`,
    advanceWhat: {
        phase_1: 'Phase 1 is in the laboratory: instrument, standards, calculation, analyst.',
        phase_2: 'Phase 2 goes beyond the laboratory: sampling, process, history.',
        conclusion: 'What was found is weighed; then it is closed, or a CAPA required.',
        capa_required: 'It stays open until the corrective action is agreed.',
        closed: 'A closed investigation is not opened again.',
        cancelled: 'Cancelling closes it without a finding.',
    },
    form: {
        create: 'Open an investigation',
        change: (number: string) => `Change ${number}`,
        created: (number: string) => `${number} is opened.`,
        changed: (number: string) => `${number} is changed.`,
        action: 'Add an action',
        added: (number: string) => `The action of ${number} is added.`,
        members: {
            kind: 'Kind', title: 'Title', dueOn: 'Due on', assigneeId: 'Worked on by',
            checks: 'Looked at in phase 1', hypotheses: 'Hypotheses',
            retestPlan: 'Retest plan', rootCause: 'Root cause', conclusion: 'Conclusion', text: 'What is to be done',
            ownerId: 'Who', dueDate: 'Due on',
        },
    },
};

// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of reagent and media lots.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const lots = {
    title: 'Lots',
    titles: { reagent: 'Reagent lots', media: 'Media lots' },
    kinds: 'Kind of lot',
    kind: { reagent: 'Reagents', media: 'Media' },
    none: 'There is no lot yet.',
    noneWhat: 'A lot stands here from its receipt on; a result names the lot with which it was made.',
    columns: {
        code: 'Code', lot: 'Lot', name: 'Name', medium: 'Medium', supplier: 'Supplier',
        usable: 'Usable until', opened: 'Opened', qc: 'QC', growth: 'Growth', sterility: 'Sterility',
        used: 'Used by',
    },
    status: { pending: 'pending', passed: 'passed', failed: 'failed', quarantined: 'quarantined' },
    filter: { code: 'Code', qcStatus: 'QC' },
    noEnd: 'no expiry date',
    endedOn: (day: string) => `ended ${day}`,
    used: (n: number) => n >= 1000 ? '1,000 or more' : n.toLocaleString('en-US'),
    of: (n: number) => count(n, 'lot'),
    open: (n: number) => `Open ${count(n, 'lot')}`,
    openWhat: 'From now on the days after opening count, where the lot has any.',
    opened: (n: number) => `${count(n, 'lot')} opened.`,
    quarantine: (code: string) => `Quarantine ${code}`,
    quarantined: (code: string) => `${code} is quarantined.`,
    release: (code: string) => `Release ${code}`,
    released: (code: string) => `${code} is released.`,
    acceptHere: 'Accept the lot for this sample',
    accept: (code: string, sample: string) => `Accept lot ${code} for ${sample}`,
    acceptWhat: 'You accept the lot, which is not released, for the results of this sample alone:'
        + ' it no longer blocks them, and they may be entered with it again.',
    accepted: (code: string, sample: string) => `Lot ${code} is accepted for ${sample}.`,
    one: 'Select one lot.',
    policy: {
        off: 'The laboratory keeps using a quarantined lot: its lot policy is off.',
        warn: 'Entering a result with it warns from now on; what was made with it shows so.',
        block: 'No result can be entered with it from now on; what was made with it and is not'
            + ' reported cannot be verified or reported.',
    },
    reach: (tests: number, samples: number) =>
        `${count(tests, 'test')} of ${count(samples, 'sample')} ${tests === 1 ? 'was' : 'were'}`
        + ' made with it.',
    certified: (n: number) =>
        `${count(n, 'certificate')} of these ${n === 1 ? 'is' : 'are'} in force.`,
    reachMore: 'There are more than can be listed here; the CSV of the recall has all.',
    reachNone: 'No test names it.',
    line: (trackingId: string, code: string, status: string, certificate: string) =>
        `${trackingId} ${code}, ${status}${certificate ? `, ${certificate}` : ''}`,
    overview: 'Overview',
    edit: 'Edit',
    facts: 'Facts',
    fact: {
        lot: 'Lot', name: 'Name', medium: 'Medium', supplier: 'Supplier', prepared: 'Prepared',
        expires: 'Expires', opened: 'Opened', days: 'Days after opening', usable: 'Usable until',
        notes: 'Notes', quarantine: 'Quarantined because',
    },
    notOpened: 'not yet',
    tests: 'Quality control',
    noTests: 'No test has been recorded: growth promotion and sterility are needed.',
    test: {
        kind: 'Test', organism: 'Organism', inoculum: 'CFU', recovery: 'Recovery', outcome: 'Outcome',
        on: 'On', by: 'By', notes: 'Notes',
        kinds: { growth_promotion: 'growth promotion', sterility: 'sterility',
            inhibition: 'inhibition', indication: 'indication' },
    },
    percent: (n: number | string) => `${n} %`,
    recall: {
        title: 'Recall',
        label: 'Tests made with this lot',
        none: 'No test names this lot.',
        csv: 'Recall CSV',
        sample: 'Sample', test: 'Test', result: 'Result', status: 'Status',
        certificate: 'Certificate in force',
        statuses: { pending: 'pending', entered: 'entered', verified: 'verified' },
        version: (n: number) => `version ${n}`,
    },
    reached: {
        title: 'What a recall reaches', tests: 'Tests', verified: 'of these verified',
        samples: 'Samples', certificates: 'Certificates in force',
    },
    form: {
        create: { reagent: 'Receive a reagent lot', media: 'Receive a media lot' },
        change: (code: string) => `Change ${code}`,
        created: (code: string) => `${code} is received.`,
        changed: (code: string) => `${code} is changed.`,
        test: 'Record a test',
        tested: (code: string) => `The test of ${code} is recorded.`,
        members: {
            code: 'Code', lotNumber: 'Lot number', name: 'Name', medium: 'Medium',
            supplier: 'Supplier', preparedOn: 'Prepared on', expiresOn: 'Expires on',
            openedOn: 'Opened on', useDaysAfterOpening: 'Days of use after opening',
            qcStatus: 'QC status', notes: 'Notes', inoculumCfu: 'Inoculum, CFU',
            recoveryPercent: 'Recovery, percent', performedOn: 'Performed on',
            reason: 'Reason, where it takes the place of a failed test',
        },
    },
};

// SPDX-License-Identifier: Apache-2.0
//
// English: every text that a person reads and that does not come from the service.
import { account } from './en-account.ts';
import { amendments } from './en-amendments.ts';
import { keys as apiKeys } from './en-api-keys.ts';
import { apiReference } from './en-api-reference.ts';
import { audit } from './en-audit.ts';
import { batches } from './en-batches.ts';
import { bench } from './en-bench.ts';
import { charts } from './en-charts.ts';
import { confirmations } from './en-confirmations.ts';
import { instrumentFiles } from './en-files.ts';
import { form } from './en-form.ts';
import { grid } from './en-grid.ts';
import { guide } from './en-guide.ts';
import { help } from './en-help.ts';
import { investigations } from './en-investigations.ts';
import { labels } from './en-labels.ts';
import { lots } from './en-lots.ts';
import { orders } from './en-orders.ts';
import { inPolicies, organization } from './en-organization.ts';
import { profiles } from './en-profiles.ts';
import { receive } from './en-receive.ts';
import { record } from './en-record.ts';
import { reference } from './en-reference.ts';
import { release } from './en-release.ts';
import { turnaround } from './en-turnaround.ts';
import { users } from './en-users.ts';
import { verification } from './en-verification.ts';
import { verify } from './en-verify.ts';
import { webhooks } from './en-webhooks.ts';
import { worksheets } from './en-worksheets.ts';

const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

const sentences: Record<string, string> = {
    unreachable: 'The service cannot be reached. Nothing was changed; what you typed is kept.',
    unauthorized: 'The e-mail address or the password is wrong.',
    page: 'This page met an error. Reload it; what was saved is safe.',
};

const refusedTitles: Record<number, string> = {
    0: 'No connection to the service',
    403: 'You may not do this',
    404: 'There is no such record',
    412: 'Somebody else changed this in between',
    429: 'Too many requests',
    503: 'The service cannot answer now',
};

const ways = {
    test: 'test', qcBatch: 'QC batch', qcBatches: 'QC batches', mediaLot: 'media lot',
    reagentLot: 'reagent lot', worksheet: 'worksheet', approval: 'approval', investigation: 'investigation',
    confirmation: 'confirmation',
};

export const en = {
    product: 'mod_lims',
    account,
    amendments,
    audit,
    turnaround,
    batches,
    bench,
    charts,
    form,
    guide,
    help,
    apiReference,
    instrumentFiles,
    grid,
    record,
    confirmations,
    investigations,
    labels,
    lots,
    orders,
    organization,
    inPolicies,
    release,
    verification,
    verify,
    worksheets,
    receive,
    reference,
    users,
    apiKeys,
    webhooks,
    profiles,
    close: 'Close',
    cancel: 'Back',
    tryAgain: 'Try again',
    refusal: 'Refusal',
    refusalCode: 'The code of this refusal: support and the API reference know it by it',
    wayTo: (noun: keyof typeof ways, no?: number) =>
        `Go to the ${ways[noun]}${no === undefined ? '' : ` ${no}`}`,
    more: 'More',
    loading: (what: string) => `Loading ${what}`,
    refusedTitle: (status: number) => refusedTitles[status] ?? 'This was refused',
    sentence: (problem: { slug: string; message: string; status: number }) => sentences[problem.slug]
        ?? (inPolicies(problem.message) || `The service answered ${problem.status}.`),
    notReadAgain: 'What is shown could not be read again and may have changed.',
    notDone: (n: number) => `${count(n, 'was', 'were')} refused.`,
    skip: 'Skip to the page',
    none: 'none',
    yes: 'yes',
    no: 'no',

    localTime: {
        which: 'Which of the two times',
        twice: (i: number, utc: string) =>
            `${i ? 'after' : 'before'} the clock was put back (UTC${utc})`,
        never: 'The clock was put forward over this time.',
    },

    rail: { label: 'Work and administration', work: 'Work', administration: 'Administration' },

    scan: {
        label: 'Scan or type an identifier',
        none: (text: string) => `Nothing is called ${text}.`,
        mistyped: (text: string) => `The check character of ${text} is wrong: it was misread or mistyped.`,
        noPage: (name: string) => `${name} has no page yet that you may see.`,
        several: (n: number) => count(n, 'record'),
        pageless: 'has no page',
        nouns: {
            sample: 'sample', order: 'order', 'qc-batch': 'QC batch', 'reagent-lot': 'reagent lot',
            'media-lot': 'media lot', certificate: 'certificate', investigation: 'investigation',
            project: 'project', client: 'client', 'test-definition': 'test', panel: 'panel',
            'storage-location': 'storage place', instrument: 'instrument',
            'material-type': 'material', profile: 'instrument profile',
            'instrument-file': 'instrument file', user: 'person', key: 'API key',
            webhook: 'webhook endpoint',
        },
        busy: (text: string) => `${text} was scanned while a question is open: answer it first.`,
    },

    person: {
        canSign: 'Can sign',
        cannotSign: 'Cannot sign',
        locked: 'Locked: reads only',
        menu: 'Person and settings',
        signOut: 'Sign out',
        light: 'Light theme',
        dark: 'Dark theme',
        system: 'Theme of the system',
        comfortable: 'Comfortable rows',
        singleKeys: 'Single-key shortcuts',
        keys: 'Keys of this page',
    },

    signIn: {
        title: 'Sign in',
        email: 'E-mail address',
        name: 'User name or e-mail address',
        password: 'Password',
        passwordOf: (name: string) => `Password of ${name}`,
        // Label of the password that signs, by the way of signing in.
        signWith: {
            password: (name: string) => `Password of ${name}`,
            'signature-password': (name: string) => `Signature password of ${name}`,
            provider: (name: string) => `Directory password of ${name}`,
        },
        laboratory: 'Laboratory',
        choose: 'Choose the laboratory to work in.',
        act: 'Sign in',
        goOn: 'Go on',
        again: 'Sign in again',
        wrongName: 'The name or the password is wrong.',
        wrongPassword: 'The password is wrong.',
        help: 'No password yet, or forgotten: an administrator of your laboratory gives you a link'
            + ' that works once, for 24 hours.',
        helpNames: 'The password that belongs to a user name is changed where that name is kept,'
            + ' not here. One that belongs to an e-mail address is set anew by a link, which an'
            + ' administrator of your laboratory gives you.',
        endedByTime: (at: string) => `Your session ended at ${at}.`,
        endedByOther: 'Somebody else signed in in another window of this browser.',
        endedBySignOut: (at: string) => `You signed out in another window at ${at}.`,
        kept: 'Sign in to go on where you are: nothing you typed is lost.',
        somebodyElse: 'Somebody else',
        discard: 'Somebody else signs in: what is typed here and not saved is discarded. Go on?',
    },

    keys: {
        title: 'Keys of this page',
        quick: 'Quick actions',
        quickLabel: 'Find an action or a page',
        quickNone: 'Nothing is called so here.',
        scan: 'Scan box',
        paste: 'Open what was copied, such as a tracking id',
        help: 'These keys',
        down: 'Next row',
        up: 'Row before',
        open: 'Open',
        select: 'Select',
        peek: 'Look beside the list',
        range: 'Select a range',
        all: 'Select all rows that are shown, or none',
        escape: 'Close, or clear the selection',
    },

    asking: {
        reason: 'Reason',
        reasonMay: 'Reason, if there is one to keep',
        reasonShort: 'Write a reason: it is kept with the change.',
        passwordWrong: (left: number | undefined) => left === undefined
            ? 'The password was wrong; nothing was signed.'
            : `The password was wrong; nothing was signed. ${count(left, 'more try', 'more tries')}`
                + ' before the account is locked.',
        locked: (seconds: number | undefined) => 'Too many wrong passwords: your account only'
            + ` reads${seconds === undefined ? '' : ` for ${count(Math.ceil(seconds / 60), 'minute')}`}.`
            + ' An administrator can unlock it.',
        now: (value: string) => `It is now ${value}.`,
        renew: 'Show it as it is now',
        leaveOut: (n: number) => `Leave out ${count(n, 'refused row')}`,
        signAs: (name: string) => `You sign as ${name}.`,
        signed: 'What is signed',
        about: 'What it is about',
        columns: { no: 'No.', record: 'Tracking id', what: 'Test', value: 'Result', unit: 'Unit',
            limit: 'Limit', flags: 'Flags' },
    },

    table: {
        selectAll: (n: number) => `Select all ${n} rows shown`,
        select: (name: string) => `Select ${name}`,
        next: 'Older',
        first: 'Newest',
        page: (n: number) => `Page ${n}`,
        selected: (n: number) => `${n} selected.`,
        selectedElsewhere: 'What is selected is not shown here.',
        clear: 'Clear',
        upToDate: 'Up to date',
    },

    filters: {
        label: 'Filters',
        remove: (name: string) => `Remove the filter ${name}`,
        add: 'Filter',
        save: 'Save view',
        saveTitle: 'Save this view',
        saveName: 'Name of the view',
        saved: (name: string) => `The view “${name}” is saved.`,
        views: 'Saved views',
        forgetSome: 'Delete views…', forget: 'Delete saved views',
        forgotten: (n: number) => `${count(n, 'saved view')} deleted.`,
        whose: 'Who sees it',
        shared: 'Everybody of the laboratory',
        sharedView: (name: string) => `${name} (shared)`,
        newest: 'Newest first',
        csv: 'CSV',
        pdf: 'PDF',
        json: 'JSON',
        none: 'Nothing fits these filters.',
        noneOf: (all: string) => `0 of ${all} fit these filters.`,
        clearAll: 'Clear the filters',
    },

    samples: {
        title: 'Samples',
        list: 'Samples, newest first',
        none: 'There is no sample yet.',
        noneWhat: 'Samples stand here from the moment they are registered, the newest first.',
        begin: 'Register samples',
        states: 'Show by readiness',
        all: 'All',
        columns: {
            trackingId: 'Tracking id', identifier: 'Identifier', client: 'Client',
            project: 'Project', material: 'Material', collected: 'Collected',
            received: 'Received', due: 'Due', status: 'Status', readiness: 'Readiness',
            holding: 'Holding left', flags: 'Flags',
        },
        releaseState: {
            blocked: 'Blocked', in_progress: 'In progress', ready_for_review: 'Review',
            ready_to_report: 'Ready', reported: 'Reported',
        },
        status: {
            pending: 'pending', received: 'received', processing: 'processing',
            completed: 'completed', verified: 'verified', reported: 'reported',
        },
        disposition: {
            active: 'active', on_hold: 'on hold', cancelled: 'cancelled', rejected: 'rejected',
            disposed: 'disposed of',
        },
        priority: { routine: 'routine', rush: 'rush', stat: 'stat' },
        holding: { ok: 'in time', expiring_soon: 'ends soon', expired: 'expired' },
        progress: (word: string, done: number, of: number) => `${word} ${done} of ${of}`,
        holdingLeft: (left: string) => `${left} left`,
        holdingExpired: (ago: string) => `expired ${ago}`,
        flags: {
            oos: ['OOS', 'Out of specification'], presumptive: ['CNF', 'Awaits confirmation'],
            qc: ['QC', 'QC batch failed'], holding: ['HT', 'Holding time exceeded or about to be'],
            amended: ['AMD', 'Amended'], approval_rejected: ['REJ', 'Approval rejected'],
        } satisfies Record<string, [string, string]>,
        filter: {
            q: 'Begins with', status: 'Status', releaseState: 'Readiness',
            holdingStatus: 'Holding', priority: 'Priority', disposition: 'Disposition',
            projectId: 'Project', clientId: 'Client', materialTypeId: 'Material',
            anyDisposition: 'any', registeredSince: 'Registered since',
            since: 'Received since', dueBefore: 'Due before', orderId: 'Order',
            noOrder: (number: string) => `No order has the number ${number}.`,
        },
        peek: 'Peek',
        close: 'Close the peek',
        open: 'Open',
        of: (n: number) => count(n, 'sample'),
        tabTitle: (blocked: number | undefined) =>
            blocked ? `Samples (${blocked} blocked)` : 'Samples',
        notActive: (n: number) => `${count(n, 'sample')} of the selection cannot be changed so.`,
        receive: (n: number) => `Receive ${count(n, 'sample')}`,
        received: (n: number) => `${count(n, 'sample')} received.`,
        receiveNone: 'Nothing selected waits to be received.',
        unreceive: (n: number) => `Undo the receipt of ${count(n, 'sample')}`,
        unreceiveWhat: 'It waits to be received again. That can be done on the day of the receipt,'
            + ' before there is a result.',
        receipt: 'Change the receipt', receiptOf: (id: string) => `Change the receipt of ${id}`,
        receiptWhat: 'What was found on receipt, until the sample is completed, or while it is '
            + 'amended.',
        receiptFound: 'Found on receipt',
        receiptMember: { deviations: 'Deviations', containers: 'Containers',
            temperature: 'Temperature, °C', condition: 'Condition' },
        receiptChanged: (id: string) => `The receipt of ${id} is changed.`,
        unreceived: (n: number) => `The receipt of ${count(n, 'sample')} is undone.`,
        report: (n: number, of: number) =>
            n === of ? `Report ${count(n, 'sample')}` : `Report ${n} of ${count(of, 'sample')}`,
        reportWhat: 'A reported sample is locked; its client is told.',
        reported: (n: number) => `${count(n, 'sample')} reported.`,
        reportNone: 'Nothing selected is ready to be reported.',
        complete: (n: number) => `Complete ${count(n, 'sample')}`,
        completed: (n: number) => `${count(n, 'sample')} completed.`,
        completeAgain: (n: number) => `Complete ${count(n, 'sample')} again`,
        completeAgainWhat: 'An approval was rejected. All steps are asked for again, of the sample'
            + ' as it is now.',
        completedAgain: (n: number) => `${count(n, 'sample')} completed again.`,
        setStatus: 'Set the status', setStatusTo: 'New status',
        setStatusWhat: 'A step back needs a reason. Approvals are asked for when a sample is'
            + ' completed.',
        statusSet: (name: string, status: string) => `${name} is ${status}.`,
        hold: (n: number) => `Put ${count(n, 'sample')} on hold`,
        held: (n: number) => `${count(n, 'sample')} put on hold.`,
        resume: (n: number) => `Take ${count(n, 'sample')} back to work`,
        resumed: (n: number) => `${count(n, 'sample')} taken back.`,
        cancelAct: (n: number) => `Cancel ${count(n, 'sample')}`,
        cancelled: (n: number) => `${count(n, 'sample')} cancelled.`,
        reject: (n: number) => `Reject ${count(n, 'sample')}`,
        rejected: (n: number) => `${count(n, 'sample')} rejected.`,
        dispose: (n: number) => `Dispose of ${count(n, 'sample')}`,
        disposeWhat: 'This says that the material is gone, and cannot be undone.',
        disposed: (n: number) => `${count(n, 'sample')} disposed of.`,
        assign: (n: number) => `Assign ${count(n, 'sample')}`,
        assignTo: 'To whom',
        assigned: (n: number) => `The open tests of ${count(n, 'sample')} are assigned.`,
        certificate: (n: number) => n === 1 ? 'Issue the certificate' : `Issue ${n} certificates`,
        certified: (n: number) => `${count(n, 'certificate')} issued.`,
        certificateNone: 'Nothing selected is reported.',
    },

    sample: {
        facts: 'Facts', work: 'Work', client: 'Client', project: 'Project', order: 'Order',
        place: 'Material, place', sampled: 'Sampled', collected: 'Collected',
        received: 'Received', receipt: 'On receipt', due: 'Due', externalId: 'External id',
        stored: 'Stored', notes: 'Notes', notesOff: 'Notes, not on the report',
        member: { plantLocation: 'Place', collectionDate: 'Day of collection',
            materialTypeId: 'Material', priority: 'Priority', noteOnReport: 'Notes on the report' },
        toOrder: 'Go to the order',
        dueIn: (days: number) => days === 0 ? 'today' : days > 0 ? `in ${count(days, 'day')}`
            : `${count(-days, 'day')} over`,
        edit: 'Change the facts', editShort: 'Edit',
        changeFacts: (name: string) => `Change the facts of ${name}`,
        factsChanged: (name: string) => `The facts of ${name} are changed.`,
        changeFact: (what: string) => `Change ${what.toLowerCase()}`,
        saveFact: (what: string) => `Save ${what.toLowerCase()}`,
        disposition: 'Disposition', by: (name: string) => `by ${name}`,
        containers: (n: number) => count(n, 'container'),
        celsius: (n: number) => `${n} °C`,
        notYet: 'not yet',
        tests: (active: number, off: number) =>
            off ? `Tests ${active}, ${off} not active` : `Tests ${active}`,
        columns: { state: 'State, holding', result: 'Result, limit', lot: 'Lot, worksheet',
            who: 'Entered, verified by' },
        test: { pending: 'Pending', entered: 'Entered', verified: 'Verified' },
        presumptive: 'Presumptive',
        off: { cancelled: 'Cancelled', set_aside: 'Set aside' },
        noResult: 'no result', noLimit: 'no limit', notVerified: 'not verified',
        retest: (no: number, of: number) => `retest ${no} of ${of}`,
        holdingUsed: (used: string, whole: string) => `${used} of ${whole}`,
        holdingLeft: (left: string, whole: string) => `${left} left of ${whole}`,
        worksheet: { missing: 'worksheet missing', incomplete: 'worksheet incomplete',
            unsigned: 'worksheet not signed', complete: 'worksheet complete' },
        readiness: 'Readiness',
        readinessSum: (block: number, todo: number) => block || todo
            ? [block ? `${block} block` : '', todo ? `${todo} to do` : ''].filter(Boolean).join(', ')
            : 'nothing blocks',
        blockedBy: 'Blocked by', todo: 'Still to do', warnings: 'Warnings, which block nothing',
        allDone: 'Nothing is left to do.',
        canReport: 'Can be reported',
        cannotReport: (block: number, todo: number) => `Cannot be reported yet: ${[
            block ? count(block, 'finding blocks', 'findings block') : '',
            todo ? `${todo} to do` : '',
        ].filter(Boolean).join(', ')}`,
        clearedBy: (how: string) => `Cleared by ${how}.`,
        reported: 'Reported',
        tabs: {
            approvals: 'Approvals', investigations: 'Investigations', certificates: 'Certificates',
        },
        tabsOf: (name: string) => `Sample ${name}`,
        addTests: 'Add tests',
        addTestsWhich: 'Tests',
        panelOf: (panel: string, missing: number, all: number) => `Panel ${panel}, ${
            missing < all ? `the other ${missing} of ` : ''}${count(all, 'test')}`,
        testsAdded: (n: number) => `${count(n, 'test')} added.`,
        cancelTest: (code: string) => `Cancel ${code}`,
        restoreTest: (code: string) => `Take ${code} back`,
        retestTest: (code: string) => `Retest ${code}`,
        testCancelled: (code: string) => `${code} is cancelled.`,
        testRestored: (code: string) => `${code} is taken back.`,
        reopenTest: (code: string) => `Reopen ${code}`,
        reopenWhat: 'The result is no longer verified: it stands until another is entered, and is'
            + ' verified and approved anew.',
        testReopened: (code: string) => `${code} is reopened.`,
        testRetested: (code: string, n: number) => `${code} is to be tested again${
            n > 1 ? ` ${n} times` : ''}.`,
        replicates: 'Repetitions',
        testRecord: (code: string) => `History, files and comments of ${code}`,
        testActs: (code: string) => `Acts on ${code}`,
        rounds: (n: number) => `Round ${n}`,
        approval: { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' },
        noApprovals: 'No approval has been asked for: it is when the sample is completed.',
        noInvestigations: 'Nothing about this sample is investigated.',
        noCertificates: 'No certificate has been issued.',
        version: (n: number) => `version ${n}`,
        told: (event: string, who: string[]) => who.length
            ? `The event ${event} was told to ${who.join(', ')}.`
            : `The event ${event} was written; nobody subscribes to it.`,
        delivery: { pending: 'on its way', delivered: 'delivered', given_up: 'given up' },
        columnsOf: {
            step: 'Step', state: 'Status', asked: 'Asked', decided: 'Decided', by: 'By',
            comment: 'Comment', number: 'Number', title: 'Title', opened: 'Opened', due: 'Due',
            version: 'Version', issued: 'Issued', sent: 'Sent', reason: 'Reason',
        },
    },

    unsaved: 'What you typed is not saved.',
    noPage: 'There is no such page.',
    lacking: {
        title: 'You may not open this page',
        needs: (what: string) => `It is for people who may ${what}.`,
        roles: (roles: string[]) => `In your laboratory these roles may: ${roles.join(', ')}.`,
        nobody: 'In your laboratory no role may at present.',
        ask: 'An administrator of your laboratory can give you such a role.',
    },
    goTo: (page: string) => `Go to ${page}`,
    crashed: 'This page met an error',
    crashedWhy: 'What was saved is safe. Reload it to go on.',
    partMissing: 'This page could not be loaded',
    partMissingWhy: 'The network is away, or the application was updated. Save what you typed'
        + ' elsewhere, then reload.',
    thisPage: 'this page',
    reload: 'Reload the page',
};

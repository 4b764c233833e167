// SPDX-License-Identifier: Apache-2.0
//
// English: a guide for each role, and what each screen is for. A step names the screen where
// it is done by that screen's first address.
export interface Step {
    at?: string;
    text: string;
}

export interface RoleGuide {
    role: string;
    name: string;
    // Whoever may do this works in the role; the first that fits is opened.
    knownBy: string;
    aim: string;
    steps: Step[];
}

const roles: RoleGuide[] = [
    {
        role: 'administrator', name: 'Administrator', knownBy: 'user.manage',
        aim: 'You decide who works here, what they may do, and what other systems may read and write. You enter no results.',
        steps: [
            { at: '/users', text: 'Invite people. Each gets a link that works once, for 24 hours, and chooses a password that you never see.' },
            { at: '/users', text: 'Give roles. The table of roles and permissions answers “who can override quality control?” before an auditor asks.' },
            { at: '/organization', text: 'Set the policies. Each shows what it would change today before you save it; a policy that your people could not meet is refused.' },
            { at: '/keys', text: 'Give other systems a key of their own, with no more scopes than they need. A key is shown once: store it at once. Rotate it with an overlap, so that nothing stops.' },
            { at: '/webhooks', text: 'Tell other systems what happens by webhooks. An endpoint that failed for long is disabled; enable it when the receiver is mended, and what waited is sent.' },
            { at: '/instrument-profiles', text: 'Say how the files of an instrument are read: add a profile as a draft, test it on real files, activate it. Files that waited in quarantine for it are then read again.' },
            { at: '/audit', text: 'Everything that you do here is in the audit trail, with your name and your reason.' },
        ],
    },
    {
        role: 'qa_officer', name: 'QA officer', knownBy: 'investigation.close',
        aim: 'You see to it that nothing leaves the laboratory that should not, and you can show why everything that left was right.',
        steps: [
            { at: '/investigations', text: 'Work through open investigations: what happened, why, what is done about it. Approve the plan by which a test is repeated; close one with your signature when its actions are done.' },
            { at: '/qc-batches', text: 'Look at failed controls. Overriding one needs a reason and your signature, and stands in the trail for ever; repeating the run is the better way.' },
            { at: '/qc-series', text: 'Read the control charts: the mark at a point says which rule it broke. A point left out needs a reason.' },
            { at: '/approvals', text: 'Decide the approvals that wait for you. What you sign stands on the same screen as the password.' },
            { at: '/certificates', text: 'Issue certificates, and amend a report that turned out wrong: the next version says what changed and why.' },
            { at: '/audit', text: 'Answer “who changed this, when, why” in one search. Verifying the chain proves that nothing was taken out.' },
        ],
    },
    {
        role: 'lab_manager', name: 'Laboratory manager, reviewer', knownBy: 'sample.report',
        aim: 'You are the second pair of eyes, and you keep the work moving.',
        steps: [
            { at: '/samples', text: 'Look at what is blocked and what ends soon. The reason stands in the list; each blocker is a link to what clears it.' },
            { at: '/verify', text: 'Verify run by run. What needs a look is open, the rest is one line; one signature verifies all that is ticked. Send back what is wrong, with a reason.' },
            { at: '/instrument-files', text: 'Decide about files in quarantine: the reason stands at the cell that caused it.' },
            { at: '/qc-batches', text: 'See which samples a failing control holds, and what a control that failed late has already let out.' },
            { at: '/approvals', text: 'Approve what is complete. A rejection goes back with your comment.' },
            { at: '/samples', text: 'Report what is ready, one sample or many at once.' },
        ],
    },
    {
        role: 'microbiologist', name: 'Microbiologist', knownBy: 'confirmation.decide',
        aim: 'You read plates when they are due, and you confirm what is presumptive before it is called a positive.',
        steps: [
            { at: '/worklist', text: 'Begin with what ends first: the holding time that is left stands beside each method.' },
            { at: '/media-lots', text: 'Use media whose growth promotion and sterility have passed; a lot that has not is refused before you type.' },
            { at: '/bench', text: 'Enter counts in the bench grid. <1 and TNTC are results of their own; nothing is rounded.' },
            { at: '/confirmations', text: 'Record each confirmation step when it is read, and decide the outcome with your signature.' },
            { at: '/verify', text: 'Verify what others entered.' },
        ],
    },
    {
        role: 'analyst', name: 'Analyst', knownBy: 'result.enter',
        aim: 'You get from the sample on the bench to a result that stands, with as little typing as can be.',
        steps: [
            { at: '/worklist', text: 'Take what is next: methods are sorted by the holding time that is left. Make a run of it in one act, with its controls.' },
            { at: '/bench', text: 'Enter results as in a spreadsheet, or paste a block. The service judges while you type; only saving writes. Set the lots and the instrument once for the run. F7 turns it: samples as columns, or a row for each test.' },
            { at: '/instrument-files', text: 'Drop an instrument’s file on the page: you see what would be written before anything is.' },
            { at: '/qc-batches', text: 'Enter what the controls measured; they are evaluated by themselves.' },
            { at: '/worksheets', text: 'Fill in the worksheet that a method asks for, and sign it.' },
            { at: '/reagent-lots', text: 'Print a lot’s label when it comes in (p), and open lots by scanning them. Expired and quarantined lots are refused before you type.' },
        ],
    },
    {
        role: 'client_services', name: 'Client services', knownBy: 'certificate.issue',
        aim: 'You know at any time where a client’s samples are and what the client was told.',
        steps: [
            { at: '/samples', text: 'Find samples by client, project, or whatever is written on the bottle: type it into the box at the top.' },
            { at: '/orders', text: 'Enter and change orders. Checking tells every mistake before anything is registered.' },
            { at: '/certificates', text: 'Issue certificates of reported samples. When a client finds an error, say so to who may amend: the next version names what changed and why.' },
        ],
    },
    {
        role: 'receiving_clerk', name: 'Reception', knownBy: 'sample.receive',
        aim: 'You register what comes in, check it against the order, and note what is not as it should be.',
        steps: [
            { at: '/orders', text: 'Register an order in one sheet: paste it from the client’s list, check it, register all or none. A former order of the client is a template.' },
            { at: '/orders', text: 'Print the labels of the order: p, on sheets or on a label printer. A scan of a label finds its sample.' },
            { at: '/receive', text: 'Receive by scanning label after label; the tone and the colour tell what happened. Temperature and condition are entered once for all, deviations at their bottle.' },
            { at: '/samples', text: 'Hold or cancel a sample with a reason; nothing that was entered is lost.' },
        ],
    },
    {
        role: 'auditor', name: 'Auditor', knownBy: 'audit.read',
        aim: 'You read everything and change nothing.',
        steps: [
            { at: '/audit', text: 'Search by record, person, period or request. Each entry shows what was and what is, the reason and the signature.' },
            { at: '/samples', text: 'Follow one sample: its history in words, its signatures, and whether each still stands.' },
            { at: '/qc-series', text: 'Read the control charts, with every point that was left out and why.' },
            { at: '/certificates', text: 'Compare the versions of a certificate.' },
        ],
    },
];

// Keys are the first part of a screen's address.
const screens: Record<string, string> = {
    '/samples': 'Find, sort and act on samples. The chips above the list are its filters; they stand in the address, so that a list can be sent to somebody. The readiness column says what blocks a sample; Space shows it beside the list; p prints labels of what is selected.',
    '/worklist': 'What is open, by method, with what ends first at the top. Enter opens the method’s bench grid.',
    '/bench': 'Enter results as in a spreadsheet: type, paste, undo. The edge of a cell shows what the service judges; nothing is written before you save (Mod+S). The first result of a sample sets it to processing, the last to completed, unless you have samples stay as they are. A refused cell keeps what you typed; F8 walks through what needs a look.',
    '/orders': 'Orders of clients. Register many samples in one sheet: paste them, check them, register all or none. p prints the labels of an order.',
    '/receive': 'Scan label after label. Green was received, amber had been received before, red is unknown or misread. Temperature, condition and storage hold for all that you scan next; the last scan can be undone for a minute. Mod+P prints labels of what was received here.',
    '/verify': 'The second pair of eyes. What needs a look is open; the rest is one line and ticked. v ticks, V signs all that is ticked, b sends back with a reason.',
    '/approvals': 'What waits for your decision, with what will be signed and how the certificate would read.',
    '/certificates': 'What was issued, in which version. Issue a certificate of a reported sample, and amend one that is wrong.',
    '/instrument-files': 'Files of instruments. Drop one here: it is read without writing anything, then imported. A file in quarantine shows each reason at its cell; leave rows of samples out (never a control), or say what they mean, and release it.',
    '/instrument-profiles': 'How files of instruments are read, each version by itself. Change one by adding a version (e) and test it on a file (t): each value stands at its cell, each reason too. Activating says which files in quarantine it would read; a version that was active never changes.',
    '/qc-batches': 'Runs with their controls and the samples that they cover. Enter what was measured; the evaluation comes by itself and says what it holds.',
    '/qc-series': 'Control charts: the points of a control over time, with mean, limits and the rules that were broken. The same points stand in the table below.',
    '/reagent-lots': 'Reagents: what is open, what expires, what is quarantined, and what each was used for. p prints labels.',
    '/media-lots': 'Culture media with their growth promotion and sterility tests, and what each was used for.',
    '/investigations': 'What went wrong, why, and what is done about it. A test that is investigated is repeated only once its retest plan is approved, with a signature. One is closed with a signature.',
    '/worksheets': 'What a method asks to be written down for a test, and who signs it. Scan the label of a lot or an instrument into its field; Enter goes to the next one. Computed values follow when you save, and are signed with the others.',
    '/confirmations': 'Presumptive results, with the step that is due next.',
    '/audit': 'Who changed what, when and why: one line a change. Open a line for the whole of it and for what was changed by the same request.',
    '/turnaround': 'How long reported samples took, by method and by client: median, what 90 % needed, and how many were done by their due date.',
    '/users': 'People, their roles, and what each role may do.',
    '/keys': 'Keys of other systems. A key is shown once, when it is made.',
    '/webhooks': 'Where other systems are told of events, and what became of each delivery. A signature that does not fit is checked here against its secret.',
    '/organization': 'The laboratory itself: policies with what they change today, approval steps, letterhead, allowance.',
    '/reference': 'What samples and tests are made of: methods, limits, materials, projects, clients, instruments, panels, label sizes, templates. A list downloads as CSV; a file or rows of a spreadsheet bring changes back, and each is shown before it is made.',
    '/api-reference': 'Every request that a program can make, with what it takes and what it answers.',
    '/guide': 'What each role does here, in the order of a day.',
};

export const guide = {
    title: 'Guide',
    label: 'Roles',
    more: 'What each role does, in the order of a day',
    roles,
    screens,
};

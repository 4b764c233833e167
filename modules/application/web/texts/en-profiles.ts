// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of instrument profiles.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

const named = (code: string, version: number): string => `${code}, version ${version}`;

export const profiles = {
    title: 'Instrument profiles',
    list: 'Instrument profiles, newest version first',
    none: 'There is no profile here.',
    noneWhat: 'A profile says how the files of an instrument are read. Without one that is active,'
        + ' every file is held in quarantine.',
    show: 'Show by status',
    shown: { all: 'All', active: 'Active', draft: 'Drafts', retired: 'Retired' },
    status: { draft: 'Draft', active: 'Active', retired: 'Retired' },
    columns: { code: 'Code', name: 'Name', version: 'Version', status: 'Status', format: 'Format',
        held: 'Held files', instrument: 'Instrument', added: 'Added', by: 'Added by' },
    // The kinds of files that it is for, and how results lie in them.
    format: (containers: string[], layout: string) => [
        ...containers.map((one) => one === 'text' ? 'text' : one.toUpperCase()), layout,
    ].filter(Boolean).join(', '),
    version: named,
    ofCode: 'Code',
    held: (n: number, more: boolean) => `${n}${more ? '+' : ''}`,

    tabs: { definition: 'Definition', test: 'Test', versions: 'Versions' },
    tabsOf: (code: string, version: number) => `Profile ${named(code, version)}`,
    definition: 'Definition of the profile, as JSON',
    help: 'Members of a profile',
    helpOf: 'Help about',
    helpAt: 'It follows the cursor. Choose another object here.',

    add: 'Add a profile',
    addVersion: (code: string) => `Add a version of ${code}`,
    addWhat: 'It begins as a draft: no file is read by it before it is activated. The code makes'
        + ' it another version of the profile with that code.',
    added: (code: string, version: number) =>
        `${named(code, version)}, is added as a draft. Test it on a file.`,
    empty: 'Write or paste the definition, or take it from a file.',
    take: 'Take from a file',
    unreadable: (name: string) => `${name} cannot be read as text.`,
    newVersion: 'New version',

    test: 'Test on a file',
    choose: 'Choose a file',
    drop: 'Choose a file or drop it anywhere on this page: it is read, and nothing of it is kept.',
    noTest: 'No file is tested yet.',
    fromHeld: 'Held file',
    noneChosen: 'none',
    would: 'Is read as',
    reasons: (n: number) => n ? count(n, 'reason') : 'Nothing holds this file back',
    onlyRead: 'Whether its samples and tests exist is not checked here: reading the file again does'
        + ' that.',
    counts: { rows: 'Rows', results: 'Results', controls: 'Controls', skipped: 'Passed over' },

    looking: 'The files in quarantine are read by it, to say what would change.',
    activate: (code: string, version: number) => `Activate ${named(code, version)}`,
    activateWhat: (replaced: number | null) => `Files are read by it from now on${replaced === null
        ? '' : `; version ${replaced} is retired`}. Its golden files are read first.`,
    waiting: (n: number, clean: number, more: boolean) => n === 0
        ? 'No file waits in quarantine for it.'
        : `${count(n, 'file')}${more ? ' or more' : ''} in quarantine ${n === 1 ? 'is' : 'are'} for it:`
            + ` it would read ${clean} without a reason. Reading them again says whether their`
            + ' samples and tests exist.',
    wouldRead: (name: string, before: number, after: number) => after
        ? `${name}: ${count(before, 'reason')} now, ${after} by this version`
        : `${name}: ${count(before, 'reason')} now, none in reading it by this version`,
    activated: (code: string, version: number) => `${named(code, version)}, is active.`,
    retire: (code: string, version: number) => `Retire ${named(code, version)}`,
    retireWhat: {
        active: 'No file is read by it any more: what only it can read is held in quarantine. It'
            + ' can be activated again.',
        draft: 'The draft is put aside. It can be activated later.',
    },
    retired: (code: string, version: number) => `${named(code, version)}, is retired.`,
    toHeld: 'Go to the quarantined files',
};

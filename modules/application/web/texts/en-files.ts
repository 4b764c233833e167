// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of instrument files.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

const and = (parts: string[]): string => parts.filter(Boolean).join(', ');

export const instrumentFiles = {
    title: 'Instrument files',
    list: 'Instrument files, newest first',
    none: 'No instrument file has come yet.',
    noneWhat: 'Files that instruments send stand here. Drop one anywhere on this page to see'
        + ' what would become of it, before anything is written.',
    states: 'Show by status',
    all: 'All',
    status: {
        received: 'Received', imported: 'Imported', quarantined: 'Quarantined',
        rejected: 'Rejected', released: 'Released',
    },
    columns: { received: 'Received', file: 'File', sender: 'Instrument, sent by',
        profile: 'Profile', status: 'Status', rows: 'Rows', written: 'Written',
        reason: 'First reason', age: 'Waits for' },
    version: (code: string, version: number | null) =>
        version === null ? code : `${code}, version ${version}`,
    noProfile: 'no profile',

    choose: 'Import a file',
    drop: 'Drop it anywhere: first it is only tried.',
    importTitle: (n: number, name: string) => n === 1 ? `Import ${name}` : `Import ${count(n, 'file')}`,
    importWhat: 'Nothing was written yet. This is what would become of it.',
    tried: (results: number, controls: number, reasons: number) => and([count(results, 'result'),
        controls ? count(controls, 'control') : '', reasons ? count(reasons, 'reason') : '']),
    wouldImport: 'all of it would be written',
    wouldHold: 'it would be held in quarantine, for a decision',
    known: 'received before, nothing new is written',
    line: (name: string, sum: string, fate: string) => `${name}: ${sum}; ${fate}`,
    moreReasons: (n: number) => `and ${count(n, 'more reason')}`,
    imported: (n: number, held: number) =>
        and([n ? `${count(n, 'file')} imported` : '', held ? `${held} held in quarantine` : '']) + '.',

    readAll: 'Read all again',
    readAllTitle: 'Read quarantined files again',
    readAllWhat: 'By the profiles and records of now. What nothing holds any more is imported.',
    readAllNone: 'Read again, nothing would change: the same reasons hold each file.',
    wouldBe: (name: string, before: number, after: number) => after === 0
        ? `${name}: would be imported` : `${name}: ${count(before, 'reason')} before, ${after} now`,
    readAgain: 'Read again',
    readDone: (name: string, status: string, left: number) =>
        left ? `${name} was read again: ${count(left, 'reason')} left.`
            : `${name} was read again: ${status.toLowerCase()}.`,
    readAllDone: (n: number, imported: number) =>
        `${count(n, 'file')} read again, ${imported} imported.`,

    tabs: { read: 'As read', decisions: 'Decisions' },
    tabsOf: (name: string) => `File ${name}`,
    sentBy: (name: string) => `sent by ${name},`,
    bytes: 'Download the file',
    asRead: (name: string) => `${name} as it was read`,
    would: 'Would be written',
    was: 'Written',
    row: 'Row',
    notRead: 'Not read',
    leftOut: 'Left out',
    control: (text: string) => `Control, ${text}`,
    andMore: (text: string, n: number) => `${text} and ${n} more`,
    sheets: 'Sheet',
    rowsShown: (from: number, to: number, of: number) => `Rows ${from} to ${to} of ${of}`,
    before: 'Rows before', after: 'Rows after',
    removed: 'The bytes of this file were removed.',

    decide: (n: number) => n ? `Decide ${count(n, 'reason')}` : 'Nothing is left to decide',
    whole: 'No reason holds this file.',
    place: (row: number, column: string, sheet: string) =>
        and([`Row ${row}`, column, sheet ? `sheet ${sheet}` : '']),
    wholeFile: 'The whole file',
    means: 'This row means',
    isFor: 'This value is for',
    other: 'Another sample',
    otherLabel: 'Tracking id of the other sample',
    near: 'differs in its check character alone',
    // Evidence for a sample: it is like those that the other rows of the file name.
    beside: (client: boolean, day: boolean) => client || day
        ? `same ${[client ? 'client' : '', day ? 'day' : ''].filter(Boolean).join(' and ')} as others of the file`
        : '',
    pending: 'has no result yet', entered: (result: string) => `has ${result}`,
    retest: 'is a retest',
    noCandidates: 'No other received sample or test is known for it.',
    reason: 'Reason, kept with the result',
    use: (name: string) => `Use ${name}`,
    useTest: 'Use this test',
    leaveOut: 'Leave out',
    leaveOutRow: (row: number, sheet: string) =>
        `Leave out row ${row}${sheet ? ` of sheet ${sheet}` : ''}`,
    takeBack: 'Take back',
    decided: (who: string, when: string) => `by ${who}, ${when}`,
    outBy: (by: string, reason: string) => `Left out ${by}: “${reason}”`,
    readAs: (to: string, by: string, reason: string) => `Read as ${to} ${by}: “${reason}”`,
    namedBy: (by: string) => `The test was chosen ${by}`,
    gone: 'Does not hold it any more.',
    notLeftOut: 'It is about a control or a whole table, which cannot be left out.',
    next: 'Next', previous: 'Previous',
    of: (i: number, n: number) => `${i} of ${n}`,
    profile: 'Profile', instrument: 'Instrument', readAt: 'Read', resolved: 'Decided',
    asMatched: 'as it matches',
    profileChosen: (code: string) => `The file is read by ${code}.`,

    release: (n: number) => `Release ${count(n, 'result')}`,
    releaseWhat: 'All of it is written, or nothing. The decisions are kept with the file.',
    released: (n: number) => `${count(n, 'result')} written.`,
    reject: 'Reject file',
    rejected: (name: string) => `${name} is rejected.`,
    rejectWhat: 'Nothing of it is written. The record stays; it can be put back into quarantine.',
    reopen: 'Back to quarantine',
    reopened: (name: string) => `${name} is in quarantine again.`,
    left: (n: number) => `${count(n, 'reason')} left.`,
    trying: 'The last decision is being tried.',
    then: (results: number, controls: number, out: number) => `Then: ${and([
        count(results, 'result') + (controls ? ` and ${count(controls, 'control')}` : '')
            + ' written', out ? `${count(out, 'row')} left out` : '', 'all or nothing'])}`,
    wrote: (n: number) => `${count(n, 'result')} written.`,
};

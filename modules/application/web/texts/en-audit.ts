// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of the audit trail.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const audit = {
    title: 'Audit',
    label: 'Changes, newest first',
    period: 'of the last 31 days',
    none: 'Nothing was changed in the last 31 days.',
    noneWhat: 'Every change of every record stands here, from the moment it is made.',
    columns: {
        time: 'Time', who: 'Who', by: 'By', record: 'Record', change: 'Change, was → is',
        reason: 'Reason', signed: 'Signed',
    },
    action: { insert: 'added', update: 'changed', delete: 'removed', archived: 'archived' },
    surface: {
        api: 'API', application: 'application', 'command line': 'command line', job: 'job',
        'instrument file': 'instrument file',
    },
    filter: {
        record: 'Record', userId: 'Person', apiKeyId: 'Key', table: 'Kind of record',
        surface: 'By', requestId: 'Request', from: 'From', to: 'To',
    },
    signed: 'signed',
    unsigned: 'not signed',
    nobody: 'at the database',
    forPerson: (name: string) => `for ${name}`,
    nothing: 'none',
    yes: 'yes',
    no: 'no',
    peek: {
        close: 'Close the entry', when: 'When', who: 'Who', by: 'By', reason: 'Reason',
        noReason: 'none given', signed: 'Signed', request: 'Request', noRequest: 'none',
        chain: 'Chain', closed: (block: number) => `closed in block ${block.toLocaleString('en-US')}`,
        open: 'not yet closed',
        entry: (n: number) => `Entry ${n.toLocaleString('en-US')}`,
        fields: (n: number) => count(n, 'field'),
        same: (n: number, more: boolean) => more
            ? `The newest ${count(n, 'change')} of this request`
            : `Everything of this request, ${count(n, 'change')}`,
        only: 'Show only', onlyRecord: 'this record', onlyPerson: 'this person',
        onlyKey: 'this key', onlyRequest: 'this request',
        stands: 'what was signed still stands', changed: 'changed since it was signed',
        as: (meaning: string, name: string) => `${meaning} by ${name}`,
    },
    check: 'Check the chain',
    checking: (blocks: number) => `Checking the chain: ${count(blocks, 'block')} so far`,
    sound: (entries: number, blocks: number) =>
        `Every one of ${count(entries, 'entry', 'entries')} fits, ${count(blocks, 'block')}`,
    notClosed: (n: number) => `${count(n, 'entry', 'entries')} not yet closed`,
    csv: 'Export CSV',
    json: 'Export JSON',
    proof: {
        open: 'Proof and archives',
        title: 'Proof of the audit trail',
        back: 'Back to the changes',
        findings: 'What does not fit',
        chain: 'The chain now',
        chainWhat: 'Entries are closed in blocks, each with a head that depends on every entry'
            + ' before it and on a key outside the database. Checking computes them all again.',
        checkedAt: 'Checked',
        heads: 'Newest blocks',
        noHeads: 'No block is closed yet.',
        columns: {
            block: 'Block', blocks: 'Blocks', closed: 'Closed', entries: 'Entries', head: 'Head',
            file: 'File', until: 'Entries up to', digest: 'SHA-256',
        },
        signed: 'Heads for keeping outside',
        signedWhat: 'A file with the head of every block, signed by this service. Keep it where'
            + ' nobody who runs the database can reach it: later it shows what was changed,'
            + ' removed, added or cut off since.',
        download: 'Download the signed heads',
        publicKey: (key: string) => `Public key of the signatures (${key})`,
        compare: 'Compare a kept file',
        compareWhat: 'The heads of a file that was downloaded before are compared with the chain as'
            + ' it is. A file that was not signed here, or was changed, is refused.',
        file: 'Signed file of heads',
        comparing: 'Comparing',
        same: (file: string, heads: number) =>
            `The chain still has ${heads === 1 ? 'the head' : `all ${heads.toLocaleString('en-US')} heads`} of ${file}`,
        differs: (file: string) => `The chain was changed since ${file} was made`,
        exported: 'Verify an exported file',
        exportedWhat: 'A file of changes that was exported as CSV or JSON ends with a signature of'
            + ' this service. A spreadsheet that stores the file anew changes it.',
        exportedFile: 'Exported file of changes',
        verifying: 'Verifying',
        asExported: (file: string, key: string) =>
            `The file ${file} is as it was exported, and signed by the key ${key}.`,
        archives: 'Archives',
        noArchives: 'No entry is archived: every one is in the database.',
        archivesWhat: 'Old entries are archived at the command line, by limsctl audit archive.',
        range: (from: number, to: number) => from === to ? String(from) : `${from} to ${to}`,
    },
    unknown: (text: string) => `Nothing is called ${text}.`,
    several: (text: string) => `More than one record is called ${text}: open the one you mean, and`
        + ' its history.',
};

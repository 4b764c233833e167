// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of what every record has.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const record = {
    tabs: { overview: 'Overview', history: 'History', signatures: 'Signatures', files: 'Files',
        comments: 'Comments' },
    columns: {
        when: 'When', by: 'By', what: 'What', signer: 'Signer', meaning: 'Meaning',
        state: 'Status', reason: 'Reason', file: 'File', size: 'Size', added: 'Added',
        withdrawn: 'Withdrawn because', comment: 'Comment',
    },
    meanings: {
        verified: 'verified', approved: 'approved', rejected: 'rejected', performed: 'performed',
        reviewed: 'reviewed', override: 'released by override', reopened: 'reopened',
        amended: 'amended', witnessed: 'witnessed', chosen: 'chosen', closed: 'closed',
    },
    package: { title: 'Package', pdf: 'All of it as PDF',
        zip: 'PDF and records as ZIP archive' },
    noHistory: 'Nothing has changed since it was registered.',
    showMore: (n: number) => `Show ${n} more`,
    trail: 'Who, when and why, field by field: the audit trail of this record',
    trailHasMore: 'There is more: the audit trail has all of it.',
    noSignatures: 'Nothing about it has been signed.',
    stands: 'stands',
    changedSince: 'changed since',
    noFiles: 'No file is attached.',
    attach: 'Attach files',
    attachHint: 'or drop them here; at most 10 MB each',
    attached: (n: number) => `${count(n, 'file')} attached.`,
    unreadable: (name: string) => `${name} could not be read.`,
    actsOn: (name: string) => `Acts on ${name}`,
    withdraw: (name: string) => `Withdraw ${name}`,
    withdrawWhat: 'It stays in the list, marked as withdrawn, and can still be downloaded.',
    withdrawnDone: (name: string) => `${name} is withdrawn.`,
    noComments: 'Nobody has commented.',
    comment: 'Comment',
    commentAct: 'Add the comment',
    commented: 'The comment is added.',
};

// SPDX-License-Identifier: Apache-2.0
//
// English: help beside the inputs of forms where the service's documentation, which is for
// programs, needs other words for people. By the route of the list or act, and the member
// in its body.
const lotCode = 'What the lot is called here. No other lot is called so.';
const asOfControl = 'A recovery or a value has to lie between the limits, a relative difference or'
    + ' a blank at most at the upper limit, and words have to be those that are expected.';
const highest = 'Highest value that is accepted; in percent for a recovery or a relative difference.';

export const help: Record<string, Record<string, string>> = {
    '/confirmations/{id}/steps': { readAt: 'When it was read. Empty: now.' },
    '/investigations': { kind: 'What the investigation is about.' },
    '/keys': {
        fileStorageMegabytes: 'How much the instrument files that come by this key may take'
            + ' together, in megabytes. Empty: as much as the server allows each key.',
        actsFor: 'The person to whom everything that the key does is put down; nobody chosen: you.'
            + ' It never changes. When that person or you are deactivated, the key is refused.',
        expiresAt: 'From then on the key is refused. Empty: it does not expire.',
    },
    '/keys/{id}/rotate': {
        expiresAt: 'From then on the new key is refused. Empty: it does not expire.',
    },
    '/media-lots': { code: lotCode },
    '/organization': {
        locale: 'A language and its country: en-GB writes 27 Nov and 14:05, en-US Nov 27.',
        certificateLayout: 'What is empty is as usual. Certificates that are issued keep their'
            + ' layout.',
        'certificateLayout.paper': 'Size of the pages, usually A4.',
    },
    '/qc-controls': { criterion: asOfControl, upperLimit: highest },
    '/qc-templates': {
        required: 'Whether results of the method need a batch with these controls, as far as the'
            + ' laboratory\'s policy “Required quality control” goes.',
        perSamples: 'For how many samples these controls are enough; for more, there is another'
            + ' set of them. Empty: for any number.',
        controls: 'In the order of the batch. The same type, criterion, level and test stand there'
            + ' only once.',
        'controls.criterion': asOfControl,
        'controls.upperLimit': highest,
        'controls.count': 'How many of them each set has.',
    },
    '/reagent-lots': { code: lotCode },
    '/samples': {
        externalId: 'What the sample is called by whoever sent it. No other sample is called so.',
        collectedAt: 'Date and time at which it was collected. Holding times of minutes and hours'
            + ' are counted from here.',
        collectionDate: 'Day of collection: not in the future, and not after an analysis. Where'
            + ' the time is known, it follows from the time.',
        dueDate: 'Day on which the results are due. Where none is given, receipt sets it by the'
            + ' turnaround of the tests. It blocks nothing.',
    },
    '/samples/{id}/amend': {
        'changes.externalId': 'What the sample is called by whoever sent it.',
        'changes.collectedAt': 'Date and time at which it was collected.',
    },
    '/test-definitions': {
        presumptiveMinimum: 'A number from this one on is presumptive positive. Empty: any number'
            + ' above 0. Words are, too, unless they plainly mean absent; so is “less than” a'
            + ' number above this one, the reporting limit and the upper limit.',
        'confirmationPlan.afterHours': 'How long after the step before it is read; the first step'
            + ' is read so long after the entry of the result.',
    },
    '/worksheet-templates': {
        'fields.kind': 'A computed field follows from its formula. Lots and instruments are scanned,'
            + ' and have to be known to the laboratory.',
        'fields.formula': 'Of a computed field alone: (gross - tare) / volume * 1000. It takes number'
            + ' fields, and computed ones, that stand before it, by their names; a name of more'
            + ' than letters, digits and _ stands in “"”.',
        'fields.decimals': 'Of a computed field alone: the decimals to which its value is rounded, a'
            + ' half away from zero.',
    },
    '/users': {
        identity: 'A directory or a single sign-on that knows the person instead of a password'
            + ' here. Giving it takes the password away.',
        'identity.type': 'What the server calls that directory or single sign-on.',
        'identity.subject': 'What the person is called there.',
    },
};

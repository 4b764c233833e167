// SPDX-License-Identifier: Apache-2.0
//
// English: the organization, its policies as sentences, and what they come to.
export const organization = {
    title: 'Organization',
    tabs: { policies: 'Policies', approval: 'Approval', letterhead: 'Letterhead' },
    change: { policies: 'Change the policies', approval: 'Change the approval',
        letterhead: 'Change the letterhead' },
    changed: 'The change holds from now on.',
    groups: { people: 'Who does what', release: 'Before a report', quality: 'Quality',
        data: 'Data', certificates: 'Certificates' },
    layout: {
        paper: 'Paper', papers: { a4: 'A4', letter: 'US Letter' }, title: 'Title',
        language: 'Chinese, Japanese and Korean characters as in', languages: {
            'zh-Hans': 'Simplified Chinese', 'zh-Hant': 'Traditional Chinese', ja: 'Japanese',
            ko: 'Korean' },
        logo: 'Place of the logo', places: { left: 'Left', right: 'Right', none: 'No logo' },
        header: 'Text below the letterhead', footer: 'Text at the foot of each page',
        columns: 'Columns of the results', sections: 'Sections',
        statements: 'Statements that each certificate makes',
        columnNames: { test: 'Test', method: 'Method', result: 'Result', qualifier: 'Qualifier',
            unit: 'Unit', limits: 'Limits', flag: 'Within or outside', uncertainty: 'Uncertainty',
            accredited: 'Accredited', analyzed: 'Analysed' },
        sectionNames: { client: 'Client', order: 'Order', sample: 'Sample', receipt: 'Receipt',
            results: 'Results', qualifiers: 'Qualifiers explained', methods: 'Methods',
            approvals: 'Approvals', people: 'People and signatures',
            amendments: 'Amendments', statements: 'Statements' },
    },
    preview: { show: 'Preview as PDF', file: 'layout-preview.pdf',
        what: 'An example with your letterhead and this layout, saved or not.' },
    logo: {
        title: 'Logo on certificates',
        none: 'Certificates have no logo.',
        what: 'A PNG of at most 1 MB, shown 40 mm wide at most.',
        noPrinter: 'There is no printer on this server, which would read a logo.',
        upload: 'Upload a logo', uploaded: 'Certificates have this logo from now on.',
        remove: 'Remove the logo', removed: 'Certificates have no logo from now on.',
        issued: 'Certificates that are issued keep the logo of their issue.',
    },
    members: {
        selfVerification: 'Four eyes', esignatureRequired: 'Signatures',
        reasonOnChange: 'Changes', keysWithinRoles: 'API keys',
        sessionMinutes: 'Sessions, minutes',
        coaBeforeApproval: 'Reporting', openInvestigationBlocks: 'Open investigations',
        oosOpensInvestigation: 'Results outside their limits',
        investigationDays: 'Investigations, days',
        qcRequired: 'Required quality control', lotQcPolicy: 'Lots that failed or are quarantined',
        reagentExpiryPolicy: 'Expired reagent lots',
        holdingWarningHours: 'Holding times, hours',
        aiDataAccess: 'Instrument files', attachmentBytes: 'Attachments, bytes',
        steps: 'Approval steps', name: 'Step', role: 'Role that decides it',
        approverMayBeVerifier: 'Who approves',
        organization: 'Name', address: 'Address', accreditation: 'Accreditation',
        logo: 'Address of the logo, for programs', timeZone: 'Time zone',
        locale: 'Days and times written as in (such as en-GB)', certificateLayout: 'Layout of certificates',
    },
    // A policy is a sentence: which one holds is chosen.
    sentences: {
        selfVerification: {
            refused: 'Nobody verifies a result that they entered.',
            allowed: 'Whoever entered a result may verify it, too.',
        },
        esignatureRequired: {
            true: 'Verifying and approving are signed with the password.',
            false: 'Verifying and approving are not signed.',
        },
        reasonOnChange: {
            true: 'A result or a received sample is changed only with a reason.',
            false: 'A result or a received sample may be changed without a reason.',
        },
        keysWithinRoles: {
            true: 'An API key does no more than the person for whom it acts.',
            false: 'An API key does whatever its scopes allow.',
        },
        coaBeforeApproval: {
            false: 'A sample is reported after its final approval.',
            true: 'A sample may be reported before its final approval.',
        },
        openInvestigationBlocks: {
            true: 'An open investigation holds the report, and a retest without an approved plan.',
            false: 'An open investigation holds no report; a retest waits for a plan that is written.',
        },
        oosOpensInvestigation: {
            true: 'A result outside its limits opens an investigation.',
            false: 'A result outside its limits opens no investigation by itself.',
        },
        qcRequired: {
            block: 'A result waits until the quality control that its method requires is evaluated.',
            warn: 'Quality control that is not evaluated is a warning.',
            off: 'Quality control that is not evaluated is not looked at.',
        },
        lotQcPolicy: {
            block: 'No result is entered with such a lot.',
            warn: 'A result with such a lot has a warning.',
            off: 'Such a lot is used like any other.',
        },
        reagentExpiryPolicy: {
            block: 'No result is entered with an expired reagent lot.',
            warn: 'A result with an expired reagent lot has a warning.',
        },
        aiDataAccess: {
            true: 'Instrument files may be sent to the model service that reads them.',
            false: 'No instrument file is sent to a model service.',
        },
        approverMayBeVerifier: {
            false: 'Each step is decided by another person, and by nobody who verified in the sample.',
            true: 'Whoever verified in the sample may decide any step.',
        },
    },
    effect: {
        holds: (what: string) => `Today: ${what}.`,
        begins: (what: string) => `New: ${what}.`,
        ends: (what: string) => `No longer: ${what}.`,
        stricter: (what: string) => `The strict way: ${what}.`,
    },
    usage: 'Samples this month',
    used: 'Registered',
    allowance: 'Allowance',
    left: 'Left',
    noLimit: 'no limit',
    plan: 'Plan',
    plans: { none: 'None', starter: 'Starter', professional: 'Professional',
        enterprise: 'Enterprise' },
    anyRole: 'any role that may approve',
    roleWhat: 'It needs the permission to approve and reject.',
};

const labels: Record<string, string> = organization.members;
const sentences: Record<string, Record<string, string>> = organization.sentences;

// A sentence of the service that names policies by their members, with what they are called
// here: "set selfVerification to allowed".
export const inPolicies = (text: string): string => text
    .replace(/\bset (\w+) to (\w+)/g, (all, policy: string, value: string) => {
        const meant = sentences[policy]?.[value];
        return meant ? `choose “${meant}” at ${labels[policy]}` : all;
    })
    .replace('name no roles in approvalStepRoles', 'give no role to any of the approval steps');

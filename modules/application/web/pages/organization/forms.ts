// SPDX-License-Identifier: Apache-2.0
//
// The forms of the organization as data: which members each tab has, in which groups.
import type { FormDefinition, Member } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';
import { shape } from './shape.ts';
import type { Tab } from './tabs.ts';

const { members: labels, sentences, groups, change, changed } = t.organization;

type Policy = Exclude<keyof typeof labels, keyof typeof letterhead | 'steps' | 'role'
    | 'organization' | 'certificateLayout'>;

// Policies by the path under which the organization has them.
function policies(names: Policy[], path = ''): Record<string, Member> {
    const words: Partial<Record<Policy, Record<string, string>>> = sentences;
    return Object.fromEntries(names.map((name) => [path + name,
        { label: labels[name], ...(words[name] ? { words: words[name] } : {}) }]));
}

const further = (...names: Policy[]): Record<string, Member> => policies(names, 'policies.');
const own = (...names: Policy[]): Record<string, Member> => policies(names);

const letterhead = {
    name: { label: labels.organization },
    address: { label: labels.address, long: true },
    accreditation: { label: labels.accreditation, long: true },
    logo: { label: labels.logo },
    timeZone: { label: labels.timeZone },
    locale: { label: labels.locale },
} satisfies Record<string, Member>;

const { layout } = t.organization;

// Layout of certificates, which each certificate keeps from its issue.
const certificateLayout: Member = {
    label: labels.certificateLayout,
    members: {
        paper: { label: layout.paper, words: layout.papers },
        title: { label: layout.title },
        language: { label: layout.language, words: layout.languages },
        logo: { label: layout.logo, words: layout.places },
        header: { label: layout.header, long: true },
        columns: { label: layout.columns, words: layout.columnNames },
        sections: { label: layout.sections, words: layout.sectionNames },
        statements: { label: layout.statements },
        footer: { label: layout.footer, long: true },
    },
};

export interface Part {
    title?: string;
    members: Record<string, Member>;
}

export const parts: Record<Tab, Part[]> = {
    policies: [
        { title: groups.people, members: { ...further('selfVerification'),
            ...own('esignatureRequired'),
            ...further('reasonOnChange', 'keysWithinRoles', 'sessionMinutes') } },
        { title: groups.release, members: { ...own('coaBeforeApproval'),
            ...further('openInvestigationBlocks'), ...own('oosOpensInvestigation'),
            ...further('investigationDays') } },
        { title: groups.quality, members: { ...further('qcRequired', 'lotQcPolicy'),
            ...own('reagentExpiryPolicy', 'holdingWarningHours') } },
        { title: groups.data, members: { ...own('aiDataAccess'), ...further('attachmentBytes') } },
    ],
    approval: [{ members: {
        steps: { label: labels.steps, members: { name: { label: labels.name },
            role: { label: labels.role,
                words: { ...t.reference.roles, '': t.organization.anyRole } } } },
        ...further('approverMayBeVerifier'),
    } }],
    letterhead: [{ members: letterhead }, { title: groups.certificates,
        members: { certificateLayout } }],
};

export const membersOf = (tab: Tab): Record<string, Member> =>
    Object.assign({}, ...parts[tab].map(({ members }) => members)) as Record<string, Member>;

export const formOf = (tab: Tab): FormDefinition => ({
    one: '/organization',
    members: membersOf(tab),
    change: () => change[tab],
    changed: () => changed,
    name: (record) => String(record['name'] ?? ''),
    reason: true,
    shape,
    signs: 'organization',
});

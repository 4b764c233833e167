// SPDX-License-Identifier: Apache-2.0
//
// The forms of investigations: opening one, what is found, an action that follows.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const { form: words } = t.investigations;
const labels = words.members;
const nameOf = (one: Record<string, unknown>): string => String(one['investigationNumber'] ?? '');

export const investigationForm: FormDefinition = {
    list: '/investigations', one: '/investigations/{id}', name: nameOf,
    members: {
        kind: { label: labels.kind, words: t.investigations.kind, only: 'new' },
        title: { label: labels.title },
        dueOn: { label: labels.dueOn },
        assigneeId: { label: labels.assigneeId, records: '/people' },
        checks: { label: labels.checks, words: t.investigations.checks, only: 'change' },
        hypotheses: { label: labels.hypotheses, long: true, only: 'change' },
        retestPlan: { label: labels.retestPlan, long: true, only: 'change' },
        rootCause: { label: labels.rootCause, long: true, only: 'change' },
        conclusion: { label: labels.conclusion, long: true, only: 'change' },
    },
    create: words.create, change: words.change, created: words.created, changed: words.changed,
};

export const actionForm = (id: number): FormDefinition => ({
    list: '/investigations/{id}/actions', of: id, one: '/investigations/{id}', name: nameOf,
    members: {
        text: { label: labels.text, long: true },
        ownerId: { label: labels.ownerId, records: '/people' },
        dueDate: { label: labels.dueDate },
    },
    create: words.action, change: words.change, created: words.added, changed: words.changed,
});

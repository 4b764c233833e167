// SPDX-License-Identifier: Apache-2.0
//
// The facts of a sample as members of a form.
import { t } from '../texts/texts.ts';
import type { FormDefinition, Member } from './definition.ts';

const words = t.sample;

// Order of the members: the one that is wrong most often is first.
export const factMembers: Record<string, Member> = {
    plantLocation: { label: words.member.plantLocation },
    clientName: { label: words.client },
    collectedAt: { label: words.collected },
    collectionDate: { label: words.member.collectionDate },
    materialTypeId: { label: words.member.materialTypeId, records: '/material-types' },
    projectId: { label: words.project, records: '/projects' },
    externalId: { label: words.externalId },
    priority: { label: words.member.priority, words: t.samples.priority },
    dueDate: { label: words.due },
    storageLocationId: { label: words.stored, records: '/storage-locations' },
    notes: { label: words.notes, long: true },
    noteOnReport: { label: words.member.noteOnReport },
};

export const factsForm: FormDefinition = {
    list: '/samples', one: '/samples/{id}', members: factMembers,
    name: (record) => String(record['trackingId'] ?? ''),
    create: '', created: String,
    change: words.changeFacts, changed: words.factsChanged,
};

// Returns a form of some of the members.
export const factsOf = (names: string[], title: string): FormDefinition => ({
    ...factsForm,
    members: Object.fromEntries(Object.entries(factMembers)
        .filter(([name]) => names.includes(name))),
    change: () => words.saveFact(title),
});

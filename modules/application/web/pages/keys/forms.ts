// SPDX-License-Identifier: Apache-2.0
//
// The forms of API keys: a new one, its storage, and another in its place.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.apiKeys;
const { members } = words;

export const keyForm: FormDefinition = {
    list: '/keys',
    one: '/keys/{id}',
    members: {
        name: { label: members.name },
        scopes: { label: members.scopes, words: words.words },
        uploadOnly: { label: members.uploadOnly },
        actsFor: { label: members.actsFor, records: '/people' },
        expiresAt: { label: members.expiresAt },
        fileStorageMegabytes: { label: members.fileStorageMegabytes },
    },
    create: words.create,
    change: t.reference.edit,
    created: words.created,
    changed: words.changed,
    name: (record) => String(record['name'] ?? ''),
    table: 'api_key',
};

export const rotation: FormDefinition = {
    ...keyForm,
    act: '/keys/{id}/rotate',
    members: { overlapHours: { label: words.overlap } },
    change: words.rotate,
    changed: words.rotated,
};

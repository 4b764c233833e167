// SPDX-License-Identifier: Apache-2.0
//
// The forms of API keys: a new one, its storage, and another in its place.
import type { FormDefinition, Shape } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.apiKeys;
const { members } = words;

// A new key states its scopes also where none is ticked: without a list it would have all of them.
const stated: Shape = {
    schema: (body) => body,
    record: (record) => record,
    body: (body) => 'name' in body ? { scopes: [], ...body } : body,
    path: (path) => path,
};

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
    shape: stated,
    table: 'api_key',
};

export const rotation: FormDefinition = {
    ...keyForm,
    act: '/keys/{id}/rotate',
    members: {
        overlapHours: { label: words.overlap },
        expiresAt: { label: members.expiresAt },
    },
    change: words.rotate,
    changed: words.rotated,
};

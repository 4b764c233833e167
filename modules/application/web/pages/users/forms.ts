// SPDX-License-Identifier: Apache-2.0
//
// The form of a user.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.users;
const { members } = words;
const { roles } = t.reference;

export const userForm: FormDefinition = {
    list: '/users',
    one: '/users/{id}',
    members: {
        displayName: { label: members.displayName },
        email: { label: members.email },
        roles: { label: members.roles, words: roles },
        active: { label: members.active, only: 'change' },
        identity: { label: members.identity, members: {
            type: { label: members.type }, subject: { label: members.subject } } },
    },
    create: words.invite,
    change: words.change,
    created: words.created,
    changed: words.changed,
    name: (record) => String(record['displayName'] ?? ''),
    table: 'user_account',
};

// SPDX-License-Identifier: Apache-2.0
//
// Actions on API keys. A key is shown once: when it is made, and when it is rotated.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { reveal } from '../form/revealed.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

export type Key = Read<'/keys'>['data'][number];

const words = t.apiKeys;

const inUse = (keys: Key[]): Key[] => keys.filter(({ revokedAt }) => revokedAt === null);

// Returns an example command that uses the key: asking who it is, or delivering a file.
function sampleOf(key: string, uploadOnly: boolean): string {
    const header = `-H "Authorization: Bearer ${key}"`;
    return uploadOnly
        ? `curl ${header} \\\n  -F file=@results.csv ${paths.rest('/instrument-ingest')}`
        : `curl ${header} \\\n  ${paths.rest('/whoami')}`;
}

export function showKey(name: string, raw: unknown, uploadOnly: boolean): void {
    if (typeof raw === 'string') {
        reveal({
            title: words.secretTitle(name), note: words.secretWhat, secret: raw,
            sample: sampleOf(raw, uploadOnly),
        });
    }
}

function revoke(keys: Key[]): void {
    ask({
        kind: 'reason',
        title: words.revoke(keys.length),
        explanation: words.revokeWhat,
        lines: keys.map(({ name, keyPrefix }) => `${name} ${keyPrefix}`),
        reason: 'may',
        perform: async ({ reason }) => {
            await each(keys, ({ name }) => name, ({ id }) => answer(api.POST('/keys/{id}/revoke', {
                params: { path: { id } }, body: reason ? { reason } : {},
            })), words.revokedAll);
            await changed('/keys', '/keys/{id}');
        },
    });
}

export const keyActions: Action<Key[]>[] = [
    {
        id: 'key.create',
        title: () => words.create,
        permission: 'key.manage',
        step: true,
        keys: 'n',
        perform: () => navigate(paths.keys('new')),
    },
    {
        id: 'key.rotate',
        title: ([key]) => words.rotate(key?.name ?? ''),
        permission: 'key.manage',
        keys: 'r',
        visible: (keys) => keys.length === 1 && inUse(keys).length === 1,
        perform: ([key]) => key && navigate(paths.keyRotation(key.id)),
    },
    {
        id: 'key.revoke',
        title: (keys) => words.revoke(inUse(keys).length),
        permission: 'key.manage',
        rare: true,
        visible: (keys) => inUse(keys).length > 0,
        perform: (keys) => revoke(inUse(keys)),
    },
];

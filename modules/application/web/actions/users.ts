// SPDX-License-Identifier: Apache-2.0
//
// Actions on people's accounts.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { reveal } from '../form/revealed.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

export type User = Read<'/users'>['data'][number];

const words = t.users;
const name = ({ displayName }: User): string => displayName;
const usersChanged = (): Promise<void> => changed('/users', '/users/{id}', '/users/{id}/sessions');

// A link that works once; its token stands in the fragment, which no server sees. Of who
// signs in by an identity it sets the password that only signs.
export async function giveLink(id: number, who: string, reason: string,
    identified = false): Promise<void> {
    const { token } = await answer(api.POST('/users/{id}/link', {
        params: { path: { id } },
        body: { reason, purpose: identified ? 'signature' : 'password' },
    }));
    if (token) {
        reveal({
            title: words.linkTitle(who), note: identified ? words.linkSigns : words.linkWhat,
            secret: `${location.origin}${paths.link()}#${token}`,
        });
    }
    await usersChanged();
}

function askForLink(user: User): void {
    ask({
        kind: 'reason',
        title: words.link(name(user)),
        explanation: user.identity ? words.linkSigns : words.linkWhat,
        reason: 'must',
        perform: ({ reason = '' }) => giveLink(user.id, name(user), reason, !!user.identity),
    });
}

function unlock(user: User): void {
    ask({
        kind: 'reason',
        title: words.unlock(name(user)),
        reason: 'may',
        perform: async ({ reason }) => {
            await answer(api.POST('/users/{id}/unlock', {
                params: { path: { id: user.id } }, body: reason ? { reason } : {},
            }));
            await usersChanged();
            say({ tone: 'ready', text: words.unlocked(name(user)) });
        },
    });
}

function deactivate(users: User[]): void {
    ask({
        kind: 'reason',
        title: words.deactivate(users.length),
        explanation: words.deactivateWhat,
        lines: users.map(name),
        reason: 'may',
        perform: async ({ reason }) => {
            await each(users, name, ({ id }) => answer(api.POST('/users/{id}/deactivate', {
                params: { path: { id } }, body: reason ? { reason } : {},
            })), words.deactivated);
            await usersChanged();
        },
    });
}

export async function endSession(id: number): Promise<void> {
    await answer(api.POST('/sessions/{id}/end', { params: { path: { id } }, body: {} }));
    say({ tone: 'ready', text: words.sessionEnded });
    await usersChanged();
}

const active = (users: User[]): User[] => users.filter((user) => user.active);

export const userActions: Action<User[]>[] = [
    {
        id: 'user.invite',
        title: () => words.invite,
        permission: 'user.manage',
        step: true,
        keys: 'n',
        perform: () => navigate(paths.users('new')),
    },
    {
        id: 'user.change',
        title: ([user]) => words.change(user ? name(user) : ''),
        permission: 'user.manage',
        keys: 'e',
        visible: (users) => users.length === 1,
        perform: ([user]) => user && navigate(paths.users(user.id)),
    },
    {
        id: 'user.unlock',
        title: ([user]) => words.unlock(user ? name(user) : ''),
        permission: 'user.manage',
        visible: (users) => users.length === 1 && users[0]?.lockedUntil != null,
        perform: ([user]) => user && unlock(user),
    },
    {
        id: 'user.link',
        title: ([user]) => words.link(user ? name(user) : ''),
        permission: 'user.manage',
        visible: (users) => users.length === 1 && active(users).length === 1,
        perform: ([user]) => user && askForLink(user),
    },
    {
        id: 'user.deactivate',
        title: (users) => words.deactivate(active(users).length),
        permission: 'user.manage',
        rare: true,
        visible: (users) => active(users).length > 0,
        perform: (users) => deactivate(active(users)),
    },
];

// SPDX-License-Identifier: Apache-2.0
//
// Actions on instrument profiles: adding a version, testing, activating and retiring it.
import { within } from '../acting/action.ts';
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { changed, condition, readNow } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { blocks, reasonsOf } from '../nouns/file-reasons.ts';
import { replacedBy } from '../nouns/profile.ts';
import type { Profile } from '../nouns/profile.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { inboxActions } from './instrument-files.ts';

type HeldFile = Read<'/instrument-files'>['data'][number];

const words = t.profiles;
const path = (profile: Profile) => ({ params: { path: { id: profile.id } }, ...condition(profile) });

export const profilesChanged = (): Promise<void> => changed('/instrument-profiles',
    '/instrument-profiles/{id}', '/instrument-profiles/{id}/history');

/* What activating would do */

// Files tried at most before a version is activated.
const most = 25;

interface Effect {
    lines: string[];
    clean: number;
    more: boolean;
}

// The reasons for which the version would hold the file back; null: the file is none for it.
async function tried(profile: Profile, file: HeldFile): Promise<number | null> {
    const done = await answer(api.POST('/instrument-profiles/{id}/test', {
        params: { path: { id: profile.id } }, body: { fileId: file.id },
    }));
    const reasons = reasonsOf(done).filter(blocks);
    const isOther = file.profileCode !== profile.code
        && reasons.some(({ code }) => code === 'unknown_profile');
    return isOther ? null : reasons.length;
}

// Tries the version on the files that wait for it: those of its code, and those that no profile
// was for.
async function effectOf(profile: Profile): Promise<Effect> {
    const held = await answer(api.GET('/instrument-files',
        { params: { query: { status: 'quarantined', order: '-id', limit: 100 } } }));
    const waiting = held.data.filter(({ profileCode }) =>
        profileCode === null || profileCode === profile.code);
    const effect: Effect = { lines: [], clean: 0, more: held.hasMore || waiting.length > most };
    for (const file of waiting.slice(0, most)) {
        const after = await tried(profile, file);
        if (after !== null) {
            effect.lines.push(words.wouldRead(file.fileName,
                reasonsOf(file).filter(blocks).length, after));
            effect.clean += after === 0 ? 1 : 0;
        }
    }
    return effect;
}

/* Acts */

// An act applies to the version as it was seen: what somebody has changed meanwhile is read again.
async function onSeen(act: Promise<unknown>): Promise<void> {
    try {
        await act;
    } catch (error) {
        if (error instanceof Problem && (error.status === 412 || error.status === 409)) {
            await profilesChanged();
        }
        throw error;
    }
    await profilesChanged();
}

const now = (profile: Profile): Promise<Profile> =>
    readNow('/instrument-profiles/{id}', { params: { path: { id: profile.id } } });

async function activating(profile: Profile): Promise<Question> {
    const { code, version } = profile;
    const [effect, versions] = await Promise.all([effectOf(profile), answer(api.GET(
        '/instrument-profiles', { params: { query: { code, status: 'active' } } }))]);
    const { lines, clean, more } = effect;
    return {
        kind: 'reason',
        title: words.activate(code, version),
        note: profile.name,
        explanation: `${words.activateWhat(replacedBy(profile, versions.data)?.version ?? null)} ${
            words.waiting(lines.length, clean, more)}`,
        ...(lines.length ? { lines } : {}),
        ...(profile.warning === null ? {} : { warnings: [profile.warning] }),
        reason: 'must',
        renew: async () => activating(await now(profile)),
        perform: async ({ reason = '' }) => {
            await onSeen(answer(api.POST('/instrument-profiles/{id}/activate',
                { ...path(profile), body: { reason } })));
            say({ tone: 'ready', text: words.activated(code, version), ...(lines.length ? { leads: [
                { href: paths.instrumentFiles('?status=quarantined'), title: words.toHeld },
            ] } : {}) });
        },
    };
}

function retiring(profile: Profile): Question {
    const { code, version, status } = profile;
    return {
        kind: 'reason',
        title: words.retire(code, version),
        note: profile.name,
        explanation: words.retireWhat[status === 'draft' ? 'draft' : 'active'],
        reason: 'must',
        renew: async () => retiring(await now(profile)),
        perform: async ({ reason = '' }) => {
            await onSeen(answer(api.POST('/instrument-profiles/{id}/retire',
                { ...path(profile), body: { reason } })));
            say({ tone: 'ready', text: words.retired(code, version) });
        },
    };
}

/* Actions */

// A version, with the number of files in quarantine for it as far as the page knows.
export interface OneProfile {
    profile: Profile;
    held: number;
}

const permission = 'profile.manage';

export const profileActions: Action<OneProfile>[] = [
    {
        id: 'profile.activate',
        title: ({ profile: { code, version } }) => words.activate(code, version),
        permission,
        step: true,
        visible: ({ profile: { status } }) => status !== 'active',
        perform: async ({ profile }) => {
            say({ tone: 'progress', text: words.looking });
            ask(await activating(profile));
            say(null);
        },
    },
    {
        id: 'profile.test', title: () => words.test, permission, keys: 't',
        perform: ({ profile: { id } }) => navigate(paths.profile(id, 'test')),
    },
    {
        id: 'profile.version', title: () => words.newVersion, permission, keys: 'e',
        perform: ({ profile: { id } }) => navigate(paths.newProfile(id)),
    },
    ...inboxActions.map((action) => ({
        ...within<null, OneProfile>(action, ({ profile: { status }, held }) =>
            status === 'active' && held > 0 ? null : undefined),
        rare: false,
    })),
    {
        id: 'profile.retire',
        title: ({ profile: { code, version } }) => words.retire(code, version),
        permission,
        rare: true,
        visible: ({ profile: { status } }) => status !== 'retired',
        perform: ({ profile }) => ask(retiring(profile)),
    },
];

const only = (all: Profile[]): OneProfile | undefined => {
    const [profile] = all;
    return profile && all.length === 1 ? { profile, held: 0 } : undefined;
};

export const profileListActions: Action<Profile[]>[] = [
    {
        id: 'profile.add', title: () => words.add, permission, step: true, keys: 'n',
        perform: () => navigate(paths.newProfile()),
    },
    ...profileActions.map((action) => ({ ...within(action, only), step: false })),
];

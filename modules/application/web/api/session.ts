// SPDX-License-Identifier: Apache-2.0
//
// The session: who is signed in, in this tab and in the other tabs of the browser. When it has
// ended, the page stays as it is, covered: the same person signs in again and goes on; anybody else
// begins on a new page.
import { useSyncExternalStore } from 'react';

import { writeTimesBy } from '../texts/time.ts';
import type { Read } from './read.ts';

export type Session = Read<'/session'>;

export type State =
    | { is: 'unknown' }
    | { is: 'nobody' }
    // opening: while the data of the first page are read, what was shown before stays: nothing
    // (unknown), or the sign-in page (nobody).
    | { is: 'in'; session: Session; opening?: 'unknown' | 'nobody' }
    | { is: 'ended'; session: Session; at: string; by: 'time' | 'sign-out' | 'other' };

type Said = { what: 'in'; id: number } | { what: 'out' } | { what: 'ended' };

// Ways to sign in here, as the service tells anybody who is not signed in.
export type Ways = 'password' | 'httpd' | 'both';

let ways: Ways = 'password';
let names = false;

export const waysIn = (): Ways => ways;

// Whether a directory is asked, in which people have names.
export const hasNames = (): boolean => names;

export function learnWays(refusal: unknown): void {
    if (typeof refusal === 'object' && refusal !== null) {
        ways = !('signIn' in refusal) ? 'password' : refusal.signIn === 'both' ? 'both' : 'httpd';
        names = 'userNames' in refusal && refusal.userNames === true;
    }
}

let state: State = { is: 'unknown' };
const watchers = new Set<() => void>();

// The channel to the other tabs, opened by whoever speaks or listens first.
let channel: BroadcastChannel | undefined;
const others = (): BroadcastChannel => (channel ??= new BroadcastChannel('lims-session'));

export const current = (): State => state;

export function session(): Session | undefined {
    return state.is === 'in' || state.is === 'ended' ? state.session : undefined;
}

// Returns the id of the person whose page this is: nothing typed here is sent in another person's
// session.
export const ownerOf = (): string => {
    const now = session();
    return now ? `${now.organization.id}/${now.person.id}` : '';
};

// The turn of the person whose page this is; it is aborted when the person signs out.
let turn = new AbortController();

export const turnOf = (): AbortSignal => turn.signal;

export function become(next: State): void {
    if (next.is === 'nobody' && session()) {
        turn.abort();
        turn = new AbortController();
    }
    state = next;
    if (state.is === 'in') {
        writeTimesBy(state.session.organization.locale);
    }
    watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useSessionState = (): State => useSyncExternalStore(watch, current);

// Returns the session; below the shell there always is one.
export function useSession(): Session {
    const now = useSessionState();
    if (now.is !== 'in' && now.is !== 'ended') {
        throw new Error('nobody is signed in');
    }
    return now.session;
}

export const may = (permission: string | undefined, now = session()): boolean =>
    permission === undefined || permission === 'self'
    || (now?.permissions.includes(permission) ?? false);

// Returns the roles that have a permission which the person lacks.
export const rolesWith = (permission: string): string[] =>
    session()?.lacking.find((one) => one.permission === permission)?.roles ?? [];

export function ended(by: 'time' | 'sign-out' | 'other'): void {
    if (state.is === 'in') {
        become({ is: 'ended', session: state.session, at: new Date().toISOString(), by });
        if (by === 'time') {
            tellOthers({ what: 'ended' });
        }
    } else if (state.is === 'ended' && by === 'sign-out') {
        // A request may have met the end before the other tab says why.
        become({ ...state, by });
    } else if (state.is === 'unknown') {
        become({ is: 'nobody' });
    }
}

// Whether whoever signed in is the person whose page this is.
export const same = (a: Session, b: Session): boolean =>
    a.person.id === b.person.id && a.organization.id === b.organization.id;

export function tellOthers(said: Said): void {
    others().postMessage(said);
}

// Waits until the person is back; a request that met the end of the session then goes on.
export function back(): Promise<void> {
    return new Promise((resolve) => {
        const stop = watch(() => {
            if (state.is === 'in') {
                stop();
                resolve();
            }
        });
    });
}

// Listens for other tabs in which somebody signs in or out, or that meet the end of the session;
// `look` then asks the service.
export function listenToOthers(look: () => void): void {
    others().onmessage = ({ data }: MessageEvent<Said>) => {
        if (data.what === 'out') {
            ended('sign-out');
        } else if (data.what === 'ended' || session()?.id !== data.id) {
            look();
        }
    };
}

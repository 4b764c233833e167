// SPDX-License-Identifier: Apache-2.0
//
// Signing in and out.
import { answer, api } from './client.ts';
import { Problem, asProblem } from './problem.ts';
import { queries } from './read.ts';
import { become, current, ended, learnWays, listenToOthers, same, tellOthers } from './session.ts';
import type { Session } from './session.ts';

const lookEvery = 60_000;

const look = (): Promise<Session> =>
    answer(api.GET('/session', { headers: { 'X-Lims-Background': '1' } }));

// The answer to whoever is not signed in tells how to sign in here.
function learn({ status, body }: Problem): void {
    if (status === 401) {
        learnWays(body);
    }
}

let readFirst: (now: Session) => Promise<void> = async () => undefined;

// Has the first page read ahead: it is drawn once, with what it shows.
export function beforeFirstPage(read: (now: Session) => Promise<void>): void {
    readFirst = read;
}

async function enter(session: Session): Promise<void> {
    const { is } = current();
    if (is === 'unknown' || is === 'nobody') {
        become({ is: 'in', session, opening: is });
        await readFirst(session);
        const now = current();
        if (now.is === 'in') {
            become({ is: 'in', session: now.session });
        }
    } else {
        become({ is: 'in', session });
    }
}

// Asks who is signed in in this browser: when a page is opened, or when another tab says that it
// changed.
export async function recognize(): Promise<void> {
    try {
        const found = await look();
        const now = current();
        if (now.is === 'ended' && !same(now.session, found)) {
            become({ ...now, by: 'other' });
        } else if (now.is === 'in' && !same(now.session, found)) {
            ended('other');
        } else if (now.is === 'in') {
            become({ ...now, session: found });
        } else {
            await enter(found);
        }
    } catch (error) {
        const problem = asProblem(error);
        learn(problem);
        if (problem.status === 401 && current().is === 'unknown') {
            become({ is: 'nobody' });
        } else if (current().is === 'unknown') {
            throw error;
        }
    }
}

export interface Choice {
    code: string;
    name: string;
}

export interface Credentials {
    email: string;
    password: string;
    organization?: string;
}

// Begins a session, or answers with the laboratories to choose from. Where a page waits
// for its person, another one who signs in begins anew.
export async function signIn(given: Credentials): Promise<Choice[] | null> {
    const before = current();
    const { session: now, organizations } = await answer(api.POST('/session', { body: given }));
    if (!now) {
        return organizations;
    }
    tellOthers({ what: 'in', id: now.id });
    if (before.is === 'ended' && !same(before.session, now)) {
        location.reload();
        return null;
    }
    await enter(now);
    return null;
}

export async function signOut(): Promise<void> {
    const out = await answer(api.DELETE('/session')).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.status !== 401) {
            throw error;
        }
    });
    tellOthers({ what: 'out' });
    become({ is: 'nobody' });
    // Data read for one person is not shown to the next.
    queries.clear();
    if (out?.next) {
        location.assign(out.next);
        return;
    }
    await look().catch((error: unknown) => learn(asProblem(error)));
    if (current().is === 'nobody') {
        become({ is: 'nobody' });
    }
}

function lookWhileSeen(): void {
    if (current().is === 'in' && document.visibilityState === 'visible') {
        void recognize();
    }
}

// Polls for the end of the session, also where the page requests nothing else, and asks as soon
// as a page is seen again.
export function startSession(): void {
    listenToOthers(() => void recognize());
    setInterval(lookWhileSeen, lookEvery);
    document.addEventListener('visibilitychange', lookWhileSeen);
}

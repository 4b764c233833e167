// SPDX-License-Identifier: Apache-2.0
//
// Work that was left before it was finished: cells that are not saved, an order that is not
// registered. The top bar leads back to it.
import { useSyncExternalStore } from 'react';

import { ownerOf } from '../api/session.ts';

export interface Unfinished {
    readonly href: string;
    readonly owner: string;
    // Text that says what waits.
    readonly text: string;
}

let all: readonly Unfinished[] = [];
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

// Says what of a person's work waits at an address; null: nothing does. The person is the one who
// did it: a page is also left by signing out, when nobody is signed in any more.
export function leaveUnfinished(owner: string, href: string, text: string | null): void {
    const is = (one: Unfinished): boolean => one.href === href && one.owner === owner;
    if (all.find(is)?.text !== (text ?? undefined)) {
        all = [...all.filter((one) => !is(one)), ...text === null ? [] : [{ href, owner, text }]];
        watchers.forEach((watcher) => watcher());
    }
}

export const unfinishedOf = (person: string): Unfinished[] =>
    all.filter(({ owner }) => owner === person);

export function useUnfinished(): readonly Unfinished[] {
    useSyncExternalStore(watch, () => all);
    return unfinishedOf(ownerOf());
}

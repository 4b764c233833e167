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

// Says what waits at an address; null: nothing does.
export function leaveUnfinished(href: string, text: string | null): void {
    const owner = ownerOf();
    const is = (one: Unfinished): boolean => one.href === href && one.owner === owner;
    if (all.find(is)?.text !== (text ?? undefined)) {
        all = [...all.filter((one) => !is(one)), ...text === null ? [] : [{ href, owner, text }]];
        watchers.forEach((watcher) => watcher());
    }
}

export function useUnfinished(): readonly Unfinished[] {
    return useSyncExternalStore(watch, () => all).filter(({ owner }) => owner === ownerOf());
}

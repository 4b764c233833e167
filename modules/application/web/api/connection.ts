// SPDX-License-Identifier: Apache-2.0
//
// Whether the service can be reached, as the last request found it: a banner says so while
// it cannot, and what is shown is read again when it can.
import { useSyncExternalStore } from 'react';

export type Connection = 'here' | 'offline' | 'busy';

let now: Connection = 'here';
const watchers = new Set<() => void>();

export function found(next: Connection): void {
    if (next !== now) {
        now = next;
        watchers.forEach((watcher) => watcher());
    }
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useConnection = (): Connection => useSyncExternalStore(watch, () => now);

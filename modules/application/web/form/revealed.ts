// SPDX-License-Identifier: Apache-2.0
//
// A secret that the service shows only once: a key, a webhook secret, a link. It stays on the
// screen until the person says that it is stored or signs out, and nowhere else.
import { useSyncExternalStore } from 'react';

import { turnOf } from '../api/session.ts';

export interface Revealed {
    title: string;
    // Purpose of the secret, and where it has to be stored.
    note: string;
    secret: string;
    // Example of its use, with the secret in it.
    sample?: string;
}

let shown: Revealed | null = null;
const watchers = new Set<() => void>();

export const revealed = (): Revealed | null => shown;

export function reveal(next: Revealed | null): void {
    shown = next;
    watchers.forEach((watcher) => watcher());
    if (next) {
        turnOf().addEventListener('abort', () => reveal(null), { once: true });
    }
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useRevealed = (): Revealed | null => useSyncExternalStore(watch, revealed);

// SPDX-License-Identifier: Apache-2.0
//
// What the service shows only once: a key, a secret, a link. It stays on the screen until
// the person says that it is stored, and nowhere else.
import { useSyncExternalStore } from 'react';

export interface Revealed {
    title: string;
    // What it is for, and what becomes of it.
    note: string;
    secret: string;
    // How it is used, with the secret in it.
    sample?: string;
}

let shown: Revealed | null = null;
const watchers = new Set<() => void>();

export function reveal(next: Revealed | null): void {
    shown = next;
    watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useRevealed = (): Revealed | null => useSyncExternalStore(watch, () => shown);

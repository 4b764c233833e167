// SPDX-License-Identifier: Apache-2.0
//
// What an act asks a person before it is done: a reason, or a signature. One question at a
// time, shown by the shell (shell/asking.tsx).
import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

export interface SignedRow {
    // Of which record of the act it is one; absent: each row is one.
    item?: number;
    record: string;
    what: string;
    value: string;
    unit: string;
    limit: string;
    flags: { code: string; meaning: string }[];
}

export interface Question {
    kind: 'reason' | 'signature' | 'confirm';
    // What will happen to how many of what: the dialog's title and its button.
    title: string;
    // Which question it is, where its title says how many: what is typed stays with it.
    subject?: string;
    note?: string;
    explanation?: string;
    // What it is about, line by line, or in columns where it is signed.
    lines?: string[];
    rows?: SignedRow[];
    warnings?: string[];
    reason?: 'must' | 'may';
    // Asks for a name (in place of a reason), under this label.
    name?: string;
    // `one`: of these one is chosen, else any number.
    choices?: { label: string; values: { id: string; title: string }[]; one?: boolean };
    // What else is filled in, which `perform` takes from where it is kept.
    fields?: ReactNode;
    // A longer text than a reason, under this label.
    text?: { label: string; must: boolean };
    perform: (given: Given) => Promise<void>;
    // The same question of what is there now, where something changed since it was seen.
    renew?: () => Promise<Question>;
    // The same question without some of its records, where these are refused.
    without?: (records: ReadonlySet<number>) => Question | Promise<Question>;
}

export interface Given {
    reason: string | undefined;
    password: string | undefined;
    chosen: string[];
    text?: string;
}

let open: Question | null = null;
const watchers = new Set<() => void>();

export function ask(question: Question | null): void {
    open = question;
    watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useQuestion = (): Question | null => useSyncExternalStore(watch, () => open);

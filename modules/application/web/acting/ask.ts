// SPDX-License-Identifier: Apache-2.0
//
// Questions that an act asks a person before it is done: a reason, a signature or a confirmation.
// One question is open at a time; the shell shows it (shell/asking.tsx).
import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

export interface SignedRow {
    // Index of the record among those of the act; absent: each row is a record of its own.
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
    // Title of the dialog, and text of its button: the act, and how many records it concerns.
    title: string;
    // Identity of the question where the title changes with a count: what was typed is kept while
    // this stays the same.
    subject?: string;
    note?: string;
    explanation?: string;
    // Subject of the act: as lines, or, where it is signed, as rows with columns.
    lines?: string[];
    rows?: SignedRow[];
    warnings?: string[];
    reason?: 'must' | 'may';
    // Label of an input for a name, which replaces the reason.
    name?: string;
    // Text with which that input begins.
    value?: string;
    // Choices; with `one`, exactly one is chosen, else any number. `none`: what holds where nothing
    // is chosen of one; absent: something has to be.
    choices?: {
        label: string; values: { id: string; title: string }[]; one?: boolean; none?: string;
    };
    // Further inputs; `perform` reads their values from where they are kept.
    fields?: ReactNode;
    // Label of an input for a longer text than a reason.
    text?: { label: string; must: boolean };
    perform: (given: Given) => Promise<void>;
    // Asks the same question about the records as they are now, after something has changed.
    renew?: () => Promise<Question>;
    // Asks the same question without some records, when those are refused.
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

// SPDX-License-Identifier: Apache-2.0
//
// An action is data: buttons, menus, the quick actions (Mod-K) and the key help are made
// of it. `About` is what it acts on: the selected samples, a record.
import { useEffect, useSyncExternalStore } from 'react';

import { asProblem } from '../api/problem.ts';
import type { Blocker } from '../api/problem.ts';
import { may } from '../api/session.ts';
import { listen } from '../keys/keyboard.ts';
import { say } from '../parts/toast.tsx';
import type { Lead } from '../parts/toast.tsx';
import { waysOut } from '../places.ts';
import { t } from '../texts/texts.ts';

export interface Action<About> {
    id: string;
    title: (about: About) => string;
    permission?: string;
    // Whether it belongs in the menu and never becomes a button: it is rare, or must not be hit by
    // mistake.
    rare?: boolean;
    // Whether it is a step of the work: the first offered step is the primary button.
    step?: boolean;
    keys?: string;
    visible?: (about: About) => boolean;
    // Reason why it cannot be done now, as far as the page knows; the service decides again.
    refused?: (about: About) => string | undefined;
    perform: (about: About) => void | Promise<void>;
}

// An action together with the records it acts on.
export interface Ready {
    id: string;
    title: string;
    keys: string | undefined;
    refused: string | undefined;
    rare?: boolean;
    step?: boolean;
    run: () => void;
}

export function ready<About>(action: Action<About>, about: About): Ready {
    const refused = action.refused?.(about);
    return {
        id: action.id,
        title: action.title(about),
        keys: action.keys,
        rare: action.rare ?? false,
        step: action.step ?? false,
        refused,
        run: () => {
            if (refused !== undefined) {
                say({ tone: 'attention', text: refused });
                return;
            }
            void Promise.resolve(action.perform(about)).catch(tell);
        },
    };
}

export function allowed<About>(actions: Action<About>[], about: About): Ready[] {
    return actions
        .filter((action) => may(action.permission) && (action.visible?.(about) ?? true))
        .map((action) => ready(action, about));
}

// Applies an action to a part of a larger thing, such as the row of a list that has the cursor.
export function within<Part, Whole>(
    action: Action<Part>, part: (whole: Whole) => Part | undefined,
): Action<Whole> {
    const of = <T>(ask: ((about: Part) => T) | undefined, none: T) => (whole: Whole): T => {
        const about = part(whole);
        return about === undefined || !ask ? none : ask(about);
    };
    return {
        id: action.id,
        title: of(action.title, ''),
        ...(action.permission === undefined ? {} : { permission: action.permission }),
        ...(action.keys === undefined ? {} : { keys: action.keys }),
        ...(action.rare === undefined ? {} : { rare: action.rare }),
        ...(action.step === undefined ? {} : { step: action.step }),
        visible: (whole) => part(whole) !== undefined && of(action.visible, true)(whole),
        refused: of(action.refused, undefined),
        perform: of(action.perform, undefined),
    };
}

// The ways to what clears a blocker.
export const leadsOf = (blocker: Blocker): Lead[] =>
    waysOut(blocker).map(({ href, noun, no }) => ({ href, title: t.wayTo(noun, no) }));

export function tell(error: unknown): void {
    const problem = asProblem(error);
    const text = t.sentence(problem);
    // The sentence may be that of the only blocker.
    const same = problem.blockers.filter(({ message }) => message === text);
    say({
        tone: 'blocked',
        text,
        leads: same.flatMap(leadsOf),
        slug: problem.slug,
        details: [
            ...problem.blockers.filter((blocker) => !same.includes(blocker))
                .map((blocker) => ({ text: blocker.message, leads: leadsOf(blocker) })),
            ...problem.mistakes.map((mistake) => `${mistake.path}: ${mistake.message}`),
        ],
    });
}

// Actions that the page on screen offers; those of the newest layer are last.
let offered: Ready[] = [];
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

function offer(next: Ready[]): void {
    offered = next;
    watchers.forEach((watcher) => watcher());
}

export const useOffered = (): Ready[] => useSyncExternalStore(watch, () => offered);

// Offers actions, with their keys, while the component is shown.
export function useActions(actions: Ready[]): void {
    useEffect(() => {
        const stop = listen(actions.filter((action) => action.keys !== undefined)
            .map((action) => ({ keys: action.keys ?? '', run: action.run })));
        offer([...offered, ...actions]);
        return () => {
            stop();
            offer(offered.filter((other) => !actions.includes(other)));
        };
    }, [actions]);
}

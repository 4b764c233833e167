// SPDX-License-Identifier: Apache-2.0
//
// The address decides what is shown. A page says its pattern (`/samples/:id/:tab?`) and
// gets what stands there.
import { useSyncExternalStore } from 'react';
import type { AnchorHTMLAttributes, MouseEvent, ReactElement } from 'react';

import { base } from './api/send.ts';

export type Parameters = Record<string, string>;

export interface Route {
    pattern: string;
    // Entry in the rail: heading, order and title; absent: only links lead to the page. `also`:
    // further pages that belong to the entry.
    rail?: { group: 'work' | 'administration'; place: number; title: string; also?: string[] };
    permission: string;
    page: (parameters: Parameters) => ReactElement;
    // Reads what the page shows, before it is the first that is drawn.
    ahead?: (search: URLSearchParams) => Promise<unknown>;
}

const watchers = new Set<() => void>();
const tell = (): void => watchers.forEach((watcher) => watcher());

// Guards are asked before another address is shown, and before the person signs out; false: the
// person stays.
const guards = new Set<() => boolean>();

export function guard(may: () => boolean): () => void {
    guards.add(may);
    return () => guards.delete(may);
}

const address = (): string => location.pathname + location.search;
export const mayLeave = (): boolean => [...guards].every((may) => may());

let shown = address();

window.addEventListener('popstate', () => {
    if (mayLeave()) {
        shown = address();
        tell();
    } else {
        history.pushState(null, '', shown);
    }
});

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export const useAddress = (): URL =>
    new URL(useSyncExternalStore(watch, address), location.origin);

export function navigate(to: string, how: { replace?: boolean; state?: unknown } = {}): void {
    // Another view of the same page loses nothing.
    if (new URL(to, location.origin).pathname !== location.pathname && !mayLeave()) {
        return;
    }
    if (how.replace) {
        history.replaceState(how.state ?? history.state, '', to);
    } else if (to !== address()) {
        history.pushState(how.state ?? null, '', to);
    }
    shown = address();
    tell();
}

// Returns the path of the page at an address: where that is the application's alone, of the page
// that somebody begins with.
export const pathAt = (pathname: string, begin: string | undefined): string =>
    begin !== undefined && pathname.replace(/\/$/, '') === base ? base + begin : pathname;

// Remembers the position of a list when it is left, so that Back restores it.
export function remember(place: unknown): void {
    history.replaceState(place, '');
}

export function remembered(): unknown {
    return history.state;
}

export function match(pattern: string, path: string): Parameters | null {
    const asked = pattern.split('/').slice(1);
    const given = path.replace(/\/$/, '').slice(base.length).split('/').slice(1);
    const found: Parameters = {};

    if (given.length > asked.length) {
        return null;
    }
    for (const [i, part] of asked.entries()) {
        const value = given[i];
        if (value === undefined) {
            if (!part.endsWith('?')) {
                return null;
            }
        } else if (part.startsWith(':')) {
            found[part.replace(/^:|\?$/g, '')] = decodeURIComponent(value);
        } else if (part !== value) {
            return null;
        }
    }
    return found;
}

type LinkProperties = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string };

// An ordinary link: another window, another tab and the keyboard work as everywhere.
export function Link({ href, onClick, ...rest }: LinkProperties): ReactElement {
    const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
        onClick?.(event);
        const plain = event.button === 0 && !event.metaKey && !event.ctrlKey
            && !event.shiftKey && !event.altKey;
        // A place on the page that is shown is the browser's own to find.
        const here = href.includes('#') && href.startsWith(`${address()}#`);
        if (plain && !here && !event.defaultPrevented) {
            event.preventDefault();
            navigate(href);
        }
    };
    return <a href={href} onClick={follow} {...rest} />;
}

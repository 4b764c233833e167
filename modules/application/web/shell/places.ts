// SPDX-License-Identifier: Apache-2.0
//
// Pages that the person may open, for links from other pages.
import { createContext, useContext } from 'react';

import { may, session } from '../api/session.ts';
import type { Session } from '../api/session.ts';
import type { Route } from '../router.tsx';

export type Place = Route & { rail: NonNullable<Route['rail']> };

export const placesOf = (routes: Route[], now = session()): Place[] => routes
    .filter((route): route is Place => route.rail !== undefined && may(route.permission, now))
    .sort((a, b) => a.rail.place - b.rail.place);

// Returns the fixed part of a route's pattern, before its first parameter.
export const start = (route: Route): string => route.pattern.replace(/\/:.*$/, '');

// The screen that each role lives in; of several roles the one nearest to results comes first.
const firstScreens: [Session['roles'][number], string][] = [
    ['lab_manager', '/verify'],
    ['qa_officer', '/approvals'],
    ['analyst', '/worklist'],
    ['microbiologist', '/worklist'],
    ['receiving_clerk', '/samples'],
    ['client_services', '/samples'],
    ['auditor', '/audit'],
    ['administrator', '/users'],
    ['system_administrator', '/users'],
];

// Where the person begins: of what they may see, else the first of the rail.
export function firstOf(places: Place[], { roles }: Session): Place | undefined {
    const begins = firstScreens.filter(([role]) => roles.includes(role)).map(([, path]) => path);
    return begins.map((path) => places.find((place) => start(place) === path))
        .find((place) => place !== undefined) ?? places[0];
}

export const Places = createContext<Place[]>([]);

export const usePlaces = (): Place[] => useContext(Places);

// SPDX-License-Identifier: Apache-2.0
//
// Pages that the person may open, for links from other pages.
import { createContext, useContext } from 'react';

import { may } from '../api/session.ts';
import type { Route } from '../router.tsx';

export type Place = Route & { rail: NonNullable<Route['rail']> };

export const placesOf = (routes: Route[]): Place[] => routes
    .filter((route): route is Place => route.rail !== undefined && may(route.permission))
    .sort((a, b) => a.rail.place - b.rail.place);

// Returns the fixed part of a route's pattern, before its first parameter.
export const start = (route: Route): string => route.pattern.replace(/\/:.*$/, '');

export const Places = createContext<Place[]>([]);

export const usePlaces = (): Place[] => useContext(Places);

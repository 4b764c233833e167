// SPDX-License-Identifier: Apache-2.0
//
// Navigation rail: the pages that the person may open, in the order in which samples pass through
// the laboratory; administration stands apart, below.
import type { ReactElement } from 'react';

import { base } from '../api/send.ts';
import { Link, useAddress } from '../router.tsx';
import type { Route } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { placesOf, start } from './places.ts';
import type { Place } from './places.ts';

export const isAt = (route: Route, path: string): boolean =>
    [start(route), ...route.rail?.also ?? []].some((place) =>
        path === base + place || path.startsWith(`${base}${place}/`));

// Returns the entry of the present page: of two that match, the longer path.
const current = (places: Place[], path: string): Place | undefined => places
    .filter((place) => isAt(place, path))
    .sort((a, b) => b.pattern.length - a.pattern.length)[0];

export function Rail({ routes, shown }: { routes: Route[]; shown: boolean }): ReactElement {
    const { pathname } = useAddress();
    const places = placesOf(routes);
    const at = current(places, pathname);

    return (
        <nav className={shown ? 'rail shown' : 'rail'} aria-label={t.rail.label} id="rail">
            {(['work', 'administration'] as const).map((group) => {
                const here = places.filter((place) => place.rail.group === group);
                return here.length ? (
                    <div key={group}>
                        <h2 id={`rail-${group}`}>{t.rail[group]}</h2>
                        <ul aria-labelledby={`rail-${group}`}>
                            {here.map((place) => (
                                <li key={place.pattern}>
                                    <Link href={base + start(place)}
                                        aria-current={place === at ? 'page' : undefined}>
                                        {place.rail.title}
                                    </Link>
                                </li>
                            ))}
                        </ul>
                    </div>
                ) : null;
            })}
        </nav>
    );
}

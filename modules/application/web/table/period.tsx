// SPDX-License-Identifier: Apache-2.0
//
// First and last day of a period, which stand in the address, so that a chart of a quarter is a
// link.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { navigate, useAddress } from '../router.tsx';
import { askedOf, filtersIn } from './filter.ts';
import type { Filter, Filters } from './filter.ts';

type End = 'from' | 'to';

// While a year is typed, the field has the years 2, 20 and 202, with which no period begins; and
// nothing while a part of a day is missing.
const isWhole = ({ value, validity }: HTMLInputElement): boolean =>
    value === '' ? !validity.badInput : value >= '1000';

function Day({ title, value, change }: {
    title: string; value: string; change: (day: string) => void;
}): ReactElement {
    // Until the field is left it shows what is typed.
    const [typed, setTyped] = useState<string | null>(null);
    return (
        <label>
            <span>{title}</span>
            <input type="date" value={typed ?? value} onBlur={() => setTyped(null)}
                onChange={({ target }) => {
                    setTyped(target.value);
                    if (isWhole(target)) {
                        change(target.value);
                    }
                }} />
        </label>
    );
}

const ends: Filter[] = [
    { name: 'from', title: '', day: 'begin' }, { name: 'to', title: '', day: 'end' },
];

// Returns the moments at which the period of the address begins and ends.
export const momentsIn = (search: URLSearchParams, zone: string): Filters =>
    askedOf(filtersIn(search, ends), ends, zone);

// `place` is the address of the page with a search; `usual` are the days that are meant where
// the address has none.
export function Period({ titles, usual, place }: {
    titles: Record<End, string>; usual?: Record<End, string> | undefined;
    place: (search: string) => string;
}): ReactElement {
    const { searchParams } = useAddress();
    const change = (name: End, day: string): void => {
        const next = new URLSearchParams(searchParams);
        if (day) {
            next.set(name, day);
        } else {
            next.delete(name);
        }
        const text = next.toString();
        navigate(place(text ? `?${text}` : ''), { replace: true });
    };
    return (
        <>
            {(['from', 'to'] as const).map((name) => (
                <Day key={name} title={titles[name]}
                    value={searchParams.get(name) ?? usual?.[name] ?? ''}
                    change={(day) => change(name, day)} />
            ))}
        </>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The filters of a list as data: in the address as the API names them, and in words.
import type { RecordsPath } from '../api/records.ts';
import { beginOf, endOf } from '../texts/local-time.ts';
import { dated } from '../texts/time.ts';

export type Filters = Record<string, string>;

export interface Filter {
    name: string;
    title: string;
    // Choices, as pairs of value and title; absent: a text is typed, or a day.
    choices?: [string, string][];
    // Whether several of the choices can be asked for at once.
    several?: boolean;
    // List whose records the filter refers to by id; the list is read when somebody uses the
    // filter.
    records?: RecordsPath;
    // A day: where the service compares moments, the begin or the end of the laboratory's day.
    day?: true | 'begin' | 'end';
    // Least number of characters that are searched for.
    least?: number;
    // Whether only links set the filter.
    linked?: boolean;
    shown?: (value: string) => string;
    // Looks up the filters that a typed text stands for, where that needs a request.
    find?: (typed: string) => Promise<Filters | undefined>;
}

export function filtersIn(search: URLSearchParams, known: Filter[]): Filters {
    return Object.fromEntries(known.flatMap(({ name }) => {
        const value = search.get(name);
        return value ? [[name, value]] : [];
    }));
}

export function searchWith(filters: Filters): string {
    const text = new URLSearchParams(filters).toString();
    return text ? `?${text}` : '';
}

const isDay = (value: string): boolean =>
    /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));

const moments = { begin: beginOf, end: endOf };

// Returns what the service is asked for: of a day, where it compares moments, the moment.
export const askedOf = (filters: Filters, known: Filter[], zone: string): Filters =>
    Object.fromEntries(Object.entries(filters).map(([name, value]) => {
        const day = known.find((one) => one.name === name)?.day;
        return [name, typeof day === 'string' && isDay(value) ? moments[day](value, zone) : value];
    }));

export function filterText({ title, choices, day, shown }: Filter, value: string): string {
    const named = (one: string): string | undefined =>
        choices?.find(([known]) => known === one)?.[1];
    const chosen = choices && (named(value)
        ?? value.split(',').map((one) => named(one) ?? one).join(', '));
    return `${title}: ${shown?.(value) ?? chosen ?? (day ? dated(value, 'UTC') : value)}`;
}

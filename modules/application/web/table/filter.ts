// SPDX-License-Identifier: Apache-2.0
//
// The filters of a list as data: in the address as the API names them, and in words.
import type { RecordsPath } from '../form/definition.ts';
import { dated } from '../texts/time.ts';

export type Filters = Record<string, string>;

export interface Filter {
    name: string;
    title: string;
    // What can be chosen, value and title; without it a text is typed, or a day.
    choices?: [string, string][];
    // It is the id of a record of this list, which is read when somebody filters by it.
    records?: RecordsPath;
    day?: boolean;
    // The fewest characters that are asked for.
    least?: number;
    // Only ever set by a link.
    linked?: boolean;
    shown?: (value: string) => string;
    // What is asked for by what was typed, where that is found out first.
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

export function filterText({ title, choices, day, shown }: Filter, value: string): string {
    const chosen = choices && value.split(',').map((one) =>
        choices.find(([known]) => known === one)?.[1] ?? one).join(', ');
    return `${title}: ${shown?.(value) ?? chosen ?? (day ? dated(value, 'UTC') : value)}`;
}

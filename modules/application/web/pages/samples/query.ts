// SPDX-License-Identifier: Apache-2.0
//
// The filters of the list of samples: in the address as the API names them, so that a view
// is a link.
import { t } from '../../texts/texts.ts';
import type { Names } from '../../api/names.ts';

export const filterNames = ['q', 'status', 'releaseState', 'holdingStatus', 'priority',
    'disposition', 'projectId', 'clientId', 'materialTypeId', 'orderId', 'since',
    'dueBefore'] as const;
export type FilterName = (typeof filterNames)[number];

export type Query = Record<string, string>;

export interface View {
    filters: Query;
    cursor: string | null;
}

export function viewOf(search: URLSearchParams): View {
    const filters: Query = {};
    for (const name of filterNames) {
        const value = search.get(name);
        if (value) {
            filters[name] = value;
        }
    }
    return { filters, cursor: search.get('cursor') };
}

export function searchOf({ filters, cursor }: View): string {
    const search = new URLSearchParams(filters);
    if (cursor) {
        search.set('cursor', cursor);
    }
    const text = search.toString();
    return text ? `?${text}` : '';
}

export function without(filters: Query, name: string): Query {
    return Object.fromEntries(Object.entries(filters).filter(([key]) => key !== name));
}

// One filter as a person reads it.
export function filterText(name: string, value: string, names: Names): string {
    const labels: Record<string, string> = t.samples.filter;
    const words: Record<string, Record<string, string>> = {
        status: t.samples.status, releaseState: t.samples.releaseState,
        holdingStatus: t.samples.holding, priority: t.samples.priority,
        disposition: t.samples.disposition,
    };
    const records: Record<string, Names[keyof Names]> = {
        projectId: names.projects, materialTypeId: names.materials,
    };
    const known = words[name];
    const named = records[name]?.get(Number(value))?.name;
    const shown = named
        ?? (known ? value.split(',').map((one) => known[one] ?? one).join(', ') : value);
    return `${labels[name] ?? name}: ${shown}`;
}

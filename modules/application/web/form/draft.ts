// SPDX-License-Identifier: Apache-2.0
//
// The draft of a form: what has been typed, and the body that is sent. Text stays as it was typed:
// a number that cannot be read is sent as text, and the service says what is wrong with it.
import { momentOf, shownAt } from '../texts/local-time.ts';
import { numberOf } from './number.ts';
import { kindOf, nullable } from './schema.ts';
import type { Schema } from './schema.ts';

export type Draft = string | boolean | string[] | Group | Group[];
export interface Group {
    [member: string]: Draft;
}

type Value = unknown;

// Times are typed as the laboratory's clock shows them.
export interface Clock {
    shown: (moment: string) => string;
    moment: (shown: string) => string;
}

export const clockIn = (zone: string): Clock => ({
    shown: (moment) => shownAt(moment, zone),
    moment: (shown) => momentOf(shown, zone),
});

const isObject = (value: Value): value is Record<string, Value> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: Value): Value[] => Array.isArray(value) ? value : [];

const textOf = (value: Value): string =>
    value === null || value === undefined ? '' : String(value);

export function groupOf(schema: Schema, value: Value, clock: Clock): Group {
    const given = isObject(value) ? value : {};
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, member]) =>
        [name, draftOf(member, given[name] === undefined ? member.default : given[name], clock)]));
}

function draftOf(schema: Schema, value: Value, clock: Clock): Draft {
    switch (kindOf(schema)) {
        case 'flag':
            return value === true;
        case 'choices':
        case 'list':
            return listOf(value).map(textOf);
        case 'rows':
            return listOf(value).map((one) => groupOf(schema.items ?? {}, one, clock));
        case 'group':
            return groupOf(schema, value, clock);
        case 'moment':
            return value ? clock.shown(textOf(value)) : '';
        default:
            return textOf(value);
    }
}

// JSON has no -0.50 with its zeros: the service keeps numbers by value.
function scalarOf(schema: Schema, text: string): Value {
    const type = [schema.type].flat();
    const isNumber = type.includes('integer') || type.includes('number');
    return isNumber ? numberOf(text) ?? text : text;
}

const isEmpty = (draft: Draft): boolean => Array.isArray(draft) ? draft.length === 0
    : typeof draft === 'object' ? Object.values(draft).every(isEmpty) : draft === '' || draft === false;

function plain(schema: Schema, text: string, clock: Clock): Value {
    if (text === '') {
        return nullable(schema) ? null : undefined;
    }
    return kindOf(schema) === 'moment' ? clock.moment(text) : scalarOf(schema, text);
}

export function valueOf(schema: Schema, draft: Draft, clock: Clock): Value {
    if (typeof draft === 'boolean') {
        return draft;
    }
    if (typeof draft === 'string') {
        return plain(schema, draft, clock);
    }
    if (Array.isArray(draft)) {
        const items = schema.items ?? {};
        const list = draft.filter((one) => one !== '').map((one) => typeof one === 'string'
            ? scalarOf(items, one) : valueOf(items, one, clock));
        return list.length === 0 && nullable(schema) ? null : list;
    }
    if (isEmpty(draft) && nullable(schema)) {
        return null;
    }
    return Object.fromEntries(Object.entries(schema.properties ?? {})
        .map(([name, member]) => [name, valueOf(member, draft[name] ?? '', clock)])
        .filter(([, value]) => value !== undefined));
}

export const same = (a: Draft | undefined, b: Draft | undefined): boolean =>
    JSON.stringify(a) === JSON.stringify(b);

// Returns the members that somebody has changed.
export const changedIn = (base: Group, mine: Group): string[] =>
    Object.keys(mine).filter((name) => !same(base[name], mine[name]));

// Makes the body to send: for a new record the filled members, for a change those that differ.
export function bodyFrom(
    schema: Schema, base: Group, mine: Group, isNew: boolean, clock: Clock,
): Record<string, Value> {
    const body: Record<string, Value> = {};
    const differ = new Set(changedIn(base, mine));

    for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const draft = mine[name] ?? '';
        const value = valueOf(member, draft, clock);
        if (isNew ? value !== undefined && value !== null && (!isEmpty(draft) || differ.has(name))
            : differ.has(name)) {
            // An empty member that is required is sent empty: the service refuses it, and its
            // message stands at the field.
            body[name] = value === undefined ? '' : value;
        }
    }
    return body;
}

export interface Clash {
    name: string;
    base: Draft;
    theirs: Draft;
    mine: Draft;
}

// Returns the members that somebody else has changed, too: former value, theirs, mine.
export const clashes = (base: Group, theirs: Group, mine: Group): Clash[] =>
    changedIn(base, theirs).filter((name) => !same(base[name], mine[name])
        && !same(theirs[name], mine[name]))
        .map((name) => ({ name, base: base[name] ?? '', theirs: theirs[name] ?? '',
            mine: mine[name] ?? '' }));

// Merges two versions: my changes over theirs, except for the members in `kept`.
export function merged(base: Group, theirs: Group, mine: Group, kept: ReadonlySet<string>): Group {
    const made = { ...theirs };
    for (const name of changedIn(base, mine)) {
        if (!kept.has(name)) {
            made[name] = mine[name] ?? '';
        }
    }
    return made;
}

// SPDX-License-Identifier: Apache-2.0
//
// Values that are typed over those of a worksheet, each with the value that stood there when it was
// typed: what somebody else entered since is not replaced unseen.
import type { Worksheet } from '../../actions/worksheets.ts';
import { type Clash, type Clock, clashes } from '../../form/draft.ts';

type Value = Pick<Worksheet['values'][number], 'field' | 'kind' | 'value'>;

export type Typed = Readonly<Record<string, { readonly text: string; readonly was: string | null }>>;

const shown = ({ kind }: Value, value: string | null, clock: Clock): string =>
    value && kind === 'timestamp' ? clock.shown(value) : value ?? '';

const kept = ({ kind }: Value, text: string, clock: Clock): string | null =>
    text === '' ? null : kind === 'timestamp' ? clock.moment(text) : text;

// Whether something else is typed than stood there; what was typed back is no change, and a
// computed value is never typed.
function isChanged(value: Value, typed: Typed, clock: Clock): boolean {
    const own = value.kind === 'computed' ? undefined : typed[value.field];
    return own !== undefined && own.text !== shown(value, own.was, clock)
        && own.text !== shown(value, value.value, clock);
}

// Takes what is typed over the value that is shown.
export const typedIn = (typed: Typed, value: Value, text: string, clock: Clock): Typed => ({
    ...typed,
    [value.field]: { text, was: isChanged(value, typed, clock)
        ? typed[value.field]?.was ?? null : value.value },
});

export const textOf = (value: Value, typed: Typed, clock: Clock): string =>
    isChanged(value, typed, clock) ? typed[value.field]?.text ?? '' : shown(value, value.value, clock);

interface Change {
    field: string;
    value: string | null;
    was: string | null;
}

export const changesIn = (values: Value[], typed: Typed, clock: Clock): Change[] =>
    values.filter((value) => isChanged(value, typed, clock)).map((value) => ({
        field: value.field,
        value: kept(value, typed[value.field]?.text ?? '', clock),
        was: typed[value.field]?.was ?? null,
    }));

export function clashesIn(values: Value[], typed: Typed, clock: Clock): Clash[] {
    const changed = values.filter((value) => isChanged(value, typed, clock));
    const version = (text: (value: Value) => string) =>
        Object.fromEntries(changed.map((value) => [value.field, text(value)]));
    return clashes(version((value) => shown(value, typed[value.field]?.was ?? null, clock)),
        version((value) => shown(value, value.value, clock)),
        version(({ field }) => typed[field]?.text ?? ''));
}

// Once values are saved: they are no longer typed, and what was typed since they were sent is
// typed over them.
export const typedSince = (typed: Typed, sent: Typed, changes: Change[]): Typed =>
    Object.fromEntries(Object.entries(typed).flatMap(([field, one]) => {
        const change = changes.find((saved) => saved.field === field);
        return one.text === sent[field]?.text ? []
            : [[field, change ? { ...one, was: change.value } : one]];
    }));

// Keeps theirs, or puts mine over theirs, which are seen now.
export function decided(
    values: Value[], typed: Typed, clock: Clock, keep: 'mine' | 'theirs',
): Typed {
    const clashing = new Set(clashesIn(values, typed, clock).map(({ name }) => name));
    const current = new Map(values.map(({ field, value }) => [field, value]));
    return Object.fromEntries(Object.entries(typed).flatMap(([field, one]) =>
        !clashing.has(field) ? [[field, one]]
            : keep === 'theirs' ? [] : [[field, { ...one, was: current.get(field) ?? null }]]));
}

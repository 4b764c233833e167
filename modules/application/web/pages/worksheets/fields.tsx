// SPDX-License-Identifier: Apache-2.0
//
// The values of a worksheet, by kind, with their units: Enter goes to the next field, and
// what is missing is said at its field. A lot or an instrument is scanned into its field. Computed
// values are the service's, of what is saved. What somebody else entered meanwhile is shown beside
// what was typed over it.
import { useEffect, useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { fill } from '../../actions/worksheets.ts';
import type { Worksheet } from '../../actions/worksheets.ts';
import { Problem } from '../../api/problem.ts';
import { may } from '../../api/session.ts';
import { Conflict } from '../../form/conflict.tsx';
import type { Member } from '../../form/definition.ts';
import { useClock } from '../../form/form.tsx';
import { Button } from '../../parts/button.tsx';
import { LocalTime } from '../../parts/local-time.tsx';
import { Status } from '../../parts/status.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';
import { useUnsaved } from '../../unsaved.ts';
import type { Typed } from './typing.ts';
import { changesIn, clashesIn, decided, textOf, typedIn, typedSince } from './typing.ts';

type Value = Worksheet['values'][number];

const words = t.worksheets;

// The field after this one; from the last, the button that saves.
function next(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) {
        return;
    }
    event.preventDefault();
    const form = event.currentTarget.closest('form');
    const all = [...form?.querySelectorAll<HTMLElement>('input, select, [type=submit]') ?? []];
    all[all.indexOf(event.currentTarget) + 1]?.focus();
}

const idOf = ({ field }: Value): string => `value-${field}`;

function Head({ value }: { value: Value }): ReactElement {
    return (
        <th scope="row">
            <label htmlFor={idOf(value)}>{value.label ?? value.field}</label>{' '}
            <span className="quiet">{value.unit}</span>
        </th>
    );
}

// A field whose value the service computed of those that are saved; of what is typed it is not
// known yet.
function Computed({ value, stale }: { value: Value; stale: boolean }): ReactElement {
    return (
        <tr>
            <Head value={value} />
            <td colSpan={2} className="wrap">
                <output id={idOf(value)}>{value.value}</output>{' '}
                {stale ? <span className="quiet">({words.whenSaved})</span>
                    : value.problem === null ? null
                        : <Status glyph="attention" tone="attention">{value.problem}</Status>}{' '}
                <span className="quiet">= {value.formula}</span>
            </td>
        </tr>
    );
}

function Field({ value, typed, locked, set, first }: {
    value: Value; typed: string; locked: boolean; set: (text: string) => void; first: boolean;
}): ReactElement {
    const lacks = value.required && typed === '';
    const scan = words.scan[value.kind];
    const common = { id: idOf(value), onKeyDown: next, disabled: locked,
        autoFocus: first && !locked };
    const plain = { ...common, value: typed,
        onChange: ({ target }: { target: { value: string } }) => set(target.value) };
    return (
        <tr>
            <Head value={value} />
            <td>
                {value.kind === 'boolean' ? (
                    <select {...plain}>
                        <option value="">{words.empty}</option>
                        <option value="true">{words.yes}</option>
                        <option value="false">{words.no}</option>
                    </select>
                ) : value.kind === 'timestamp' ? (
                    <LocalTime {...common} text={typed} change={set} />
                ) : (
                    <input {...plain} type={value.kind === 'date' ? 'date' : 'text'} autoComplete="off"
                        maxLength={1000} placeholder={locked ? undefined : scan}
                        data-scanned={scan === undefined ? undefined : 'whole'}
                        inputMode={value.kind === 'number' ? 'decimal' : undefined} />
                )}
            </td>
            <td>
                {lacks ? <Status glyph="attention" tone="attention">{words.lacking}</Status> : null}
            </td>
        </tr>
    );
}

const membersOf = (values: Value[]): Record<string, Member> =>
    Object.fromEntries(values.map(({ field, label, kind }) => [field, { label: label ?? field,
        ...(kind === 'boolean' ? { words: { true: words.yes, false: words.no } } : {}) }]));

export function Fields({ one, dirty }: {
    one: Worksheet; dirty: (changed: boolean) => void;
}): ReactElement {
    const clock = useClock();
    const [typed, setTyped] = useState<Typed>({});
    const [busy, setBusy] = useState(false);
    const signed = one.signOffs.length > 0;
    const locked = signed || !may('worksheet.fill');
    const changes = changesIn(one.values, typed, clock);
    const clashes = clashesIn(one.values, typed, clock);
    const isDirty = changes.length > 0;
    const first = one.values.find(({ kind }) => kind !== 'computed')?.field;

    useUnsaved(isDirty);
    // Others change the values, too: what is typed may be theirs by now.
    useEffect(() => dirty(isDirty), [dirty, isDirty]);
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        if (!isDirty) {
            say({ tone: 'attention', text: words.nothing });
            return;
        }
        setBusy(true);
        const told = (): void => say({ tone: 'ready', text: words.saved(changes.length) });
        fill(one.sampleTestId, changes, told).then(() => {
            setTyped((now) => typedSince(now, typed, changes));
        }, (error: unknown) => {
            // The form shows what stands there now beside what was typed over it.
            if (!(error instanceof Problem) || error.status !== 412) {
                tell(error);
            }
        }).finally(() => setBusy(false));
    };
    return (
        <form onSubmit={submit} aria-busy={busy} data-scanned>
            <table className="table filled-in" aria-label={words.fields}>
                <tbody>
                    {one.values.map((value) => value.kind === 'computed' ? (
                        <Computed key={value.field} value={value} stale={isDirty} />
                    ) : (
                        <Field key={value.field} value={value} locked={locked}
                            first={value.field === first} typed={textOf(value, typed, clock)}
                            set={(text) => setTyped((now) => typedIn(now, value, text, clock))} />
                    ))}
                </tbody>
            </table>
            {clashes.length ? (
                <Conflict clashes={clashes} members={membersOf(one.values)}
                    decide={(keep) => setTyped(decided(one.values, typed, clock, keep))} />
            ) : null}
            <p className="section"><span className="line">
                {signed ? <span className="quiet">{words.signedHint}</span> : null}
                {locked ? null : <Button type="submit">{words.save(changes.length)}</Button>}
            </span></p>
        </form>
    );
}

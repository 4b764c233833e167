// SPDX-License-Identifier: Apache-2.0
//
// The values of a worksheet, by kind, with their units: Enter goes to the next field, and
// what is missing is said at its field.
import { useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { fill } from '../../actions/worksheets.ts';
import type { Worksheet } from '../../actions/worksheets.ts';
import { may } from '../../api/session.ts';
import type { Clock } from '../../form/draft.ts';
import { useClock } from '../../form/form.tsx';
import { Button } from '../../parts/button.tsx';
import { Status } from '../../parts/status.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';
import { useUnsaved } from '../../unsaved.ts';

type Value = Worksheet['values'][number];

const words = t.worksheets;

const types: Record<string, string> = { date: 'date', timestamp: 'datetime-local' };

const shown = ({ kind, value }: Value, clock: Clock): string =>
    value && kind === 'timestamp' ? clock.shown(value) : value ?? '';

const kept = ({ kind }: Value, typed: string, clock: Clock): string | null =>
    typed === '' ? null : kind === 'timestamp' ? clock.moment(typed) : typed;

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

function Field({ value, typed, locked, set, first }: {
    value: Value; typed: string; locked: boolean; set: (text: string) => void; first: boolean;
}): ReactElement {
    const id = `value-${value.field}`;
    const lacks = value.required && typed === '';
    const common = { id, value: typed, onKeyDown: next, disabled: locked,
        onChange: ({ target }: { target: { value: string } }) => set(target.value),
        autoFocus: first && !locked };
    return (
        <tr>
            <th scope="row">
                <label htmlFor={id}>{value.label ?? value.field}</label>{' '}
                <span className="quiet">{value.unit}</span>
            </th>
            <td>
                {value.kind === 'boolean' ? (
                    <select {...common}>
                        <option value="">{words.empty}</option>
                        <option value="true">{words.yes}</option>
                        <option value="false">{words.no}</option>
                    </select>
                ) : (
                    <input {...common} type={types[value.kind] ?? 'text'} autoComplete="off"
                        maxLength={1000}
                        inputMode={value.kind === 'number' ? 'decimal' : undefined} />
                )}
            </td>
            <td>
                {lacks ? <Status glyph="attention" tone="attention">{words.lacking}</Status> : null}
            </td>
        </tr>
    );
}

export function Fields({ one, dirty }: {
    one: Worksheet; dirty: (changed: boolean) => void;
}): ReactElement {
    const clock = useClock();
    const [typed, setTyped] = useState<Record<string, string>>({});
    const [busy, setBusy] = useState(false);
    const signed = one.signOffs.length > 0;
    const locked = signed || !may('worksheet.fill');
    const changed = one.values.filter((value) => typed[value.field] !== undefined
        && typed[value.field] !== shown(value, clock));
    const release = useUnsaved(changed.length > 0);
    const set = (field: string, text: string): void => {
        setTyped({ ...typed, [field]: text });
        dirty(true);
    };
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        if (changed.length === 0) {
            say({ tone: 'attention', text: words.nothing });
            return;
        }
        setBusy(true);
        fill(one.sampleTestId, changed.map((value) =>
            ({ field: value.field, value: kept(value, typed[value.field] ?? '', clock) })))
            .then(() => {
                release();
                setTyped({});
                dirty(false);
                say({ tone: 'ready', text: words.saved(changed.length) });
            }, tell).finally(() => setBusy(false));
    };
    return (
        <form onSubmit={submit} aria-busy={busy} data-scanned>
            <table className="table filled-in" aria-label={words.fields}>
                <tbody>
                    {one.values.map((value, i) => (
                        <Field key={value.field} value={value} locked={locked} first={i === 0}
                            typed={typed[value.field] ?? shown(value, clock)}
                            set={(text) => set(value.field, text)} />
                    ))}
                </tbody>
            </table>
            <p className="section"><span className="line">
                {signed ? <span className="quiet">{words.signedHint}</span> : null}
                {locked ? null : <Button type="submit">{words.save(changed.length)}</Button>}
            </span></p>
        </form>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The body of a form: its members, the reason for the change, the signature, messages of the
// service, and the buttons.
import { useEffect, useId, useRef } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';

import type { Problem } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Refusal } from '../record/refusal.tsx';
import { t } from '../texts/texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { Conflict } from './conflict.tsx';
import type { Member } from './definition.ts';
import { Members } from './field.tsx';
import { useFilling } from './filling.ts';
import type { Filling, Given, Start } from './filling.ts';
import { inLabels, labelsOf, mistakesOf } from './mistakes.ts';
import type { Schema } from './schema.ts';

function shownMembers({ definition, id, schema }: Start): Record<string, Member> {
    return Object.fromEntries(Object.entries(definition.members).filter(([name, { only }]) =>
        schema.properties?.[name] !== undefined
        && (only === undefined || (only === 'new') === (id === null))));
}

function Reason({ id, must, asked }: { id: string; must: boolean; asked: boolean }): ReactElement {
    return (
        <p className="field">
            <label htmlFor={id}>{must ? t.asking.reason : t.asking.reasonMay}</label>
            <input id={id} name="reason" type="text" autoComplete="off" maxLength={1000}
                required={must} autoFocus={asked} />
        </p>
    );
}

export const titleOf = ({ definition, id, found }: Start): string =>
    id === null ? definition.create ?? '' : definition.change(definition.name(found.record));

function Password({ problem }: { problem: Problem | null }): ReactElement {
    const { person, signature } = useSession();
    const id = useId();
    return (
        <p className="field">
            <label htmlFor={id}>{t.signIn.signWith[signature.method](person.displayName)}</label>
            <input id={id} name="password" type="password" required autoComplete="current-password"
                aria-invalid={problem?.slug === 'signature_invalid'} />
        </p>
    );
}

const given = (form: HTMLFormElement | null): Given => {
    const data = new FormData(form ?? undefined);
    const text = (name: string): string => String(data.get(name) ?? '');
    return { reason: text('reason').trim() || undefined, password: text('password') || undefined };
};

export interface FieldsProperties {
    start: Start;
    note?: string | undefined;
    // Closes the form; absent: Cancel only discards what was typed.
    close?: (() => void) | undefined;
    // The members, where they do not simply follow one another.
    shown?: ((filling: Filling, mistakes: ReadonlyMap<string, string>, schema: Schema)
        => ReactNode) | undefined;
    // Whether the form is part of a page: it is compact, and shows reason and cancel only when
    // needed.
    inline?: boolean;
    // Whether the form starts anew after it was saved, for the next act.
    again?: boolean;
    children?: ReactNode;
}

export function Fields(
    { start, note, close, shown, inline, again, children }: FieldsProperties,
): ReactElement {
    const { definition, id, schema } = start;
    const filling = useFilling({ ...start, saved: (record) => {
        release();
        start.saved(record);
    } });
    const release = useUnsaved(filling.dirty);
    const form = useRef<HTMLFormElement>(null);
    const reasonId = useId();
    const members = shownMembers(start);
    const labels = labelsOf(members);
    const said = (text: string): string => inLabels(text, labels);
    const mistakes = new Map([...mistakesOf(filling.problem, Object.keys(members),
        definition.shape?.path)].map(([at, text]) => [at, said(text)]));
    const must = filling.reason || (definition.reason === true && id !== null);
    const signed = start.contentHash !== null;
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        filling.save(given(form.current));
    };

    // Moves the focus to the first member that the service found wrong.
    useEffect(() => {
        form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }, [filling.problem]);
    return (
        <form ref={form} className="filling" onSubmit={submit} aria-busy={filling.busy}
            noValidate={!must && !signed} data-scanned>
            <div className="fields">
                {note ? <p className="small">{note}</p> : null}
                {shown ? shown(filling, mistakes, schema) : (
                    <Members path="" members={members} schema={schema} group={filling.mine}
                        mistakes={mistakes} set={filling.set} first />
                )}
                {id === null || (inline && !must) ? null : (
                    <Reason key={String(must)} id={reasonId} must={must} asked={filling.reason} />
                )}
                {signed ? <Password problem={filling.problem} /> : null}
                {children}
            </div>
            {filling.clashes ? (
                <Conflict clashes={filling.clashes} members={members}
                    {...(inline && close ? { aside: close } : {})}
                    decide={(keep) => filling.decide(keep, given(form.current))} />
            ) : null}
            {filling.problem && !filling.clashes ? <Refusal problem={filling.problem} said={said} /> : null}
            <footer className="line">
                {filling.clashes ? null : (
                    <Button kind="primary" type="submit" autoFocus={again ?? false}>
                        {titleOf(start)}
                    </Button>
                )}
                {close ? <Button keys="Esc" onPress={close}>{t.cancel}</Button> : null}
                {filling.dirty ? <span className="quiet small push">{t.form.notSaved}</span> : null}
            </footer>
        </form>
    );
}

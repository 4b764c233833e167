// SPDX-License-Identifier: Apache-2.0
//
// A form as a panel beside the list, with an address of its own: a new record, or one that
// is changed.
import { useEffect, useId, useMemo, useRef } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';

import { Problem, asProblem } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { SidePanel } from '../parts/dialog.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Refused, Waiting } from '../parts/states.tsx';
import { say } from '../parts/toast.tsx';
import { momentOf, shownAt } from '../texts/local-time.ts';
import { t } from '../texts/texts.ts';
import { Conflict } from './conflict.tsx';
import type { FormDefinition, Member } from './definition.ts';
import type { Clock } from './draft.ts';
import { Members } from './field.tsx';
import { useFilling } from './filling.ts';
import type { Start } from './filling.ts';
import { mistakesOf } from './mistakes.ts';
import { bodyOf } from './schema.ts';
import type { Schema } from './schema.ts';
import { readRecord } from './service.ts';
import type { Found, Record_ } from './service.ts';
import { useUnsaved } from './unsaved.ts';

interface Properties {
    definition: FormDefinition;
    // null: a new one.
    id: number | null;
    close: () => void;
    // After it is saved; without it the panel is closed.
    saved?: (record: Record_) => void;
    // Above the members: what it comes to.
    note?: string | undefined;
    // What a new one begins with.
    initial?: Record_;
    // Below the members: what else is known of the record, or done to it.
    children?: (record: Record_) => ReactNode;
}

export function useClock(): Clock {
    const { organization: { timeZone } } = useSession();
    return useMemo(() => ({
        shown: (moment) => shownAt(moment, timeZone),
        moment: (shown) => momentOf(shown, timeZone),
    }), [timeZone]);
}

function shownMembers({ definition, id, schema }: Start): Record<string, Member> {
    return Object.fromEntries(Object.entries(definition.members).filter(([name, { only }]) =>
        schema.properties?.[name] !== undefined
        && (only === undefined || (only === 'new') === (id === null))));
}

function Reason({ id, must }: { id: string; must: boolean }): ReactElement {
    return (
        <p className="field">
            <label htmlFor={id}>{must ? t.asking.reason : t.asking.reasonMay}</label>
            <input id={id} name="reason" type="text" autoComplete="off" maxLength={1000}
                required={must} autoFocus={must} />
        </p>
    );
}

function Refusal({ problem }: { problem: Problem }): ReactElement {
    return (
        <div className="field" role="alert">
            <span className="refusal"><Glyph name="blocked" /><span>{t.sentence(problem)}</span></span>
            {problem.blockers.map(({ message }) => (
                <span className="refusal" key={message}>
                    <Glyph name="blocked" /><span>{message}</span>
                </span>
            ))}
            <span className="id quiet">{problem.slug}</span>
        </div>
    );
}

const titleOf = ({ definition, id, found }: Start): string =>
    id === null ? definition.create : definition.change(definition.name(found.record));

function Fields({ start, note, close, children }: {
    start: Start; note: string | undefined; close: () => void; children: ReactNode;
}): ReactElement {
    const { definition, id, schema } = start;
    const filling = useFilling({ ...start, saved: (record) => {
        release();
        start.saved(record);
    } });
    const release = useUnsaved(filling.dirty);
    const form = useRef<HTMLFormElement>(null);
    const reasonId = useId();
    const members = shownMembers(start);
    const mistakes = mistakesOf(filling.problem, Object.keys(members));
    const must = filling.reason || (definition.reason === true && id !== null);
    const reason = (): string | undefined =>
        String(new FormData(form.current ?? undefined).get('reason') ?? '').trim() || undefined;
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        filling.save(reason());
    };

    // One goes on typing where the service found something wrong.
    useEffect(() => {
        form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }, [filling.problem]);
    return (
        <form ref={form} className="filling" onSubmit={submit} aria-busy={filling.busy} noValidate={!must}
            data-scanned>
            <div className="fields">
                {note ? <p className="small">{note}</p> : null}
                <Members path="" members={members} schema={schema} group={filling.mine}
                    mistakes={mistakes} set={filling.set} first />
                {id === null ? null : <Reason key={String(must)} id={reasonId} must={must} />}
                {children}
            </div>
            {filling.clashes ? <Conflict clashes={filling.clashes} members={members}
                decide={(keep) => filling.decide(keep, reason())} /> : null}
            {filling.problem && !filling.clashes ? <Refusal problem={filling.problem} /> : null}
            <footer className="line">
                {filling.clashes ? null : (
                    <Button kind="primary" type="submit">{titleOf(start)}</Button>
                )}
                <Button keys="Esc" onPress={close}>{t.cancel}</Button>
                {filling.dirty ? <span className="quiet small push">{t.form.notSaved}</span> : null}
            </footer>
        </form>
    );
}

interface Loaded {
    schema: Schema;
    found: Found;
}

async function load(
    { list, one, act }: FormDefinition, id: number | null, initial: Record_,
): Promise<Loaded> {
    const [schema, found] = await Promise.all([
        bodyOf(act ? `POST ${act}` : id === null ? `POST ${list}` : `PATCH ${one}`),
        id === null ? { record: initial, etag: null } : readRecord({ one }, id),
    ]);
    return { schema, found };
}

export function RecordForm(properties: Properties): ReactElement {
    const { definition, id, close, saved, initial, note, children } = properties;
    const clock = useClock();
    const loaded = useQuery<Loaded, Problem>({
        queryKey: ['form', definition.act ?? definition.one, id],
        queryFn: () => load(definition, id, initial ?? {}),
        staleTime: Infinity, gcTime: 0, placeholderData: undefined,
        retry: false, refetchOnMount: 'always',
    });
    const start = loaded.data && { definition, id, clock, ...loaded.data,
        saved: (record: Record_) => {
            const name = definition.name(record) || definition.name(loaded.data?.found.record ?? {});
            say({ tone: 'ready', text: id === null ? definition.created(name) : definition.changed(name) });
            (saved ?? close)(record);
        } };

    return (
        <SidePanel title={start ? titleOf(start) : t.form.title} close={close} className="dialog form">
            {start && !loaded.isFetching
                ? <Fields start={start} note={note} close={close}>
                    {children?.(start.found.record)}
                </Fields> : null}
            {loaded.error ? <Refused problem={asProblem(loaded.error)} /> : null}
            {loaded.isFetching ? <Waiting what={t.form.title} rows={6} /> : null}
        </SidePanel>
    );
}

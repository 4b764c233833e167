// SPDX-License-Identifier: Apache-2.0
//
// Head of an order: client, project and contact, and the values of columns that its rows leave
// empty. Names are typed, or chosen from suggestions.
import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import type { OrderDesk } from './order-desk.ts';
import { type Form, type FormField, priorities } from './reading.ts';
import { type References, called } from './references.ts';
import { offered } from './sheet.ts';

const texts = t.orders;

interface FieldProperties {
    desk: OrderDesk;
    field: Exclude<FormField, 'priority'>;
    offers?: string[];
    wide?: boolean;
    type?: 'text' | 'date' | 'time';
    placeholder?: string;
    autoFocus?: boolean;
    change?: (text: string) => Partial<Form>;
    // Action offered where the value is wrong.
    children?: ReactNode;
}

function Refusal({ id, text }: { id: string; text: string }): ReactElement {
    return <span className="refusal" id={id}><Glyph name="blocked" /><span>{text}</span></span>;
}

function Field(properties: FieldProperties): ReactElement {
    const { desk, field, offers, wide, type = 'text', placeholder, autoFocus, change,
        children } = properties;
    const form = useStore(desk.form);
    const wrong = useStore(desk.status).fields[field];
    const id = useId();
    return (
        <p className={wide ? 'field twice' : 'field'}>
            <label htmlFor={id}>{texts.fields[field]}</label>
            <input id={id} type={type} value={form[field]} autoComplete="off" spellCheck={false}
                maxLength={field === 'tests' ? 4000 : 255} name={field} placeholder={placeholder} autoFocus={autoFocus}
                list={offers ? `${id}o` : undefined} aria-invalid={wrong !== undefined}
                aria-describedby={wrong ? `${id}w` : undefined}
                inputMode={field === 'temperature' ? 'decimal' : 'text'}
                onChange={({ target }) =>
                    desk.fill(change?.(target.value) ?? { [field]: target.value })} />
            {offers ? (
                <datalist id={`${id}o`}>
                    {offers.map((offer) => <option key={offer} value={offer} />)}
                </datalist>
            ) : null}
            {wrong ? <Refusal id={`${id}w`} text={wrong} /> : null}
            {wrong ? children : null}
        </p>
    );
}

function Priority({ desk }: { desk: OrderDesk }): ReactElement {
    const { priority } = useStore(desk.form);
    const id = useId();
    return (
        <p className="field">
            <label htmlFor={id}>{texts.fields.priority}</label>
            <select id={id} value={priority} onChange={({ target }) => desk.fill({
                priority: priorities.find((one) => one === target.value) ?? 'routine' })}>
                {priorities.map((one) =>
                    <option key={one} value={one}>{texts.priority[one]}</option>)}
            </select>
        </p>
    );
}

// A project that belongs to a client says whose the order is, where nobody has said it.
function ofProject(desk: OrderDesk, { projects, clients }: References, project: string):
Partial<Form> {
    const [found] = called(projects, project);
    const client = clients.find(({ id }) => id === found?.clientId);
    return client && desk.form.get().client === '' ? { project, client: client.name } : { project };
}

// Projects of the client, and those of nobody.
function projectsOf(references: References, client: string): string[] {
    const [found] = called(references.clients, client);
    const { projects } = references;
    return offered.projects({ ...references, projects: found
        ? projects.filter(({ clientId }) => clientId === null || clientId === found.id)
        : projects });
}

// A name that no client has may be that of a new one, which is created deliberately.
function NewClient({ client, references }: {
    client: string; references: References;
}): ReactElement | null {
    const name = client.trim();
    return name === '' || called(references.clients, name).length > 0 ? null : (
        <Button kind="row" onPress={() => navigate(`${paths.newOrder()}?client=new`)}>
            {texts.addClient(name)}
        </Button>
    );
}

export function OrderForm({ desk, references, receives }: {
    desk: OrderDesk; references: References; receives: boolean;
}): ReactElement {
    const { client } = useStore(desk.form);
    return (
        <form className="sheet" aria-label={texts.form} onSubmit={(event) => event.preventDefault()}>
            <Field desk={desk} field="client" wide autoFocus={!desk.unsaved}
                offers={offered.clients(references)}>
                <NewClient client={client} references={references} />
            </Field>
            <Field desk={desk} field="project" wide offers={projectsOf(references, client)}
                change={(project) => ofProject(desk, references, project)} />
            <Field desk={desk} field="orderNumber" placeholder={texts.numberGiven} />
            <Field desk={desk} field="contact" />
            <Priority desk={desk} />
            <Field desk={desk} field="tests" wide offers={offered.tests(references)} />
            <Field desk={desk} field="material" offers={offered.materials(references)} />
            <Field desk={desk} field="collected" type="date" />
            <Field desk={desk} field="time" type="time" />
            {receives ? <Field desk={desk} field="temperature" /> : null}
            {receives ? <Field desk={desk} field="condition" offers={t.receive.usual} /> : null}
        </form>
    );
}

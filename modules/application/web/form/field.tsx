// SPDX-License-Identifier: Apache-2.0
//
// One input of a form, by the type that the service's OpenAPI document gives the member: with its
// bounds, its documentation as help, and the service's message if it is wrong.
import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { unread } from '../api/names.ts';
import type { RecordsPath } from '../api/records.ts';
import { useRecords } from '../api/records.ts';
import { Glyph } from '../parts/glyph.tsx';
import { LocalTime } from '../parts/local-time.tsx';
import { RecordPicker } from '../parts/record-picker.tsx';
import { t } from '../texts/texts.ts';
import type { Member } from './definition.ts';
import type { Draft, Group } from './draft.ts';
import { RecordList, Rows, Words } from './many.tsx';
import { helpOf, kindOf, nullable } from './schema.ts';
import type { Kind, Schema } from './schema.ts';

export interface FieldProperties {
    path: string;
    member: Member;
    schema: Schema;
    required: boolean;
    draft: Draft;
    // Messages of the service about wrong members, by path.
    mistakes: ReadonlyMap<string, string>;
    set: (draft: Draft) => void;
    autoFocus?: boolean;
    // Help in place of the service's documentation.
    help?: ReactNode;
}

export function Said({ id, text }: { id: string; text: string | undefined }): ReactElement | null {
    return text === undefined ? null : (
        <span className="refusal" id={id}><Glyph name="blocked" /><span>{text}</span></span>
    );
}

// A label with its input, its help and the message about what is wrong.
function Labelled({ id, member, help, wrong, children }: {
    id: string; member: Member; help: ReactNode; wrong: string | undefined;
    children: ReactNode;
}): ReactElement {
    return (
        <div className="field">
            <label htmlFor={id}>{member.label}</label>
            {children}
            {help ? <span className="caption" id={`${id}-help`}>{help}</span> : null}
            <Said id={`${id}-wrong`} text={wrong} />
        </div>
    );
}

// Returns the values to choose from; those of a flag have texts.
const valuesOf = ({ enum: values }: Schema, { words }: Member): string[] =>
    values?.filter((value) => value !== null) ?? Object.keys(words ?? {}).filter(Boolean);

function Choice({ id, field, attributes }: {
    id: string; field: FieldProperties; attributes: object;
}): ReactElement {
    const { schema, member, draft, required, set } = field;
    const empty = draft === '' || (nullable(schema) && !required);
    return (
        <select id={id} {...attributes} value={String(draft)}
            onChange={({ target }) => set(typeof draft === 'boolean'
                ? target.value === 'true' : target.value)}>
            {empty ? <option value="">{member.words?.[''] ?? (nullable(schema) ? t.none : '')}</option> : null}
            {valuesOf(schema, member).map((value) => (
                <option key={value} value={value}>{member.words?.[value] ?? value}</option>
            ))}
        </select>
    );
}

const typeOf: Partial<Record<Kind, string>> = { day: 'date' };

function Typed({ id, field, attributes }: {
    id: string; field: FieldProperties; attributes: object;
}): ReactElement {
    const { schema, member, draft, set } = field;
    const kind = kindOf(schema);
    if (kind === 'moment') {
        return <LocalTime id={id} {...attributes} autoComplete="off" text={String(draft)} change={set} />;
    }
    const common = { id, ...attributes, value: String(draft),
        onChange: ({ target }: { target: { value: string } }) => set(target.value) };
    if (member.long) {
        return <textarea {...common} rows={3} maxLength={schema.maxLength} />;
    }
    return (
        <input {...common} type={typeOf[kind] ?? 'text'}
            autoComplete="off" maxLength={schema.maxLength}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            className={kind === 'number' ? 'short' : undefined} />
    );
}

function OneRecord({ field, path }: { field: FieldProperties; path: RecordsPath }): ReactElement {
    const { member, schema, draft, set } = field;
    const all = useRecords(path);
    const chosen = String(draft);
    const items = all.filter(({ id, active }) => active || id === chosen);
    const isRead = chosen === '' || items.some(({ id }) => id === chosen);
    const wrong = field.mistakes.get(field.path);
    return (
        <div className="field">
            <RecordPicker label={member.label} help={helpOf(schema)}
                items={isRead ? items : [{ id: chosen, name: unread }, ...items]}
                chosen={chosen} invalid={wrong !== undefined} none={t.form.noRecord} choose={set} />
            <Said id={`${field.path}-wrong`} text={wrong} />
        </div>
    );
}

function Flag({ field }: { field: FieldProperties }): ReactElement {
    const { member, schema, draft, set } = field;
    const id = useId();
    return (
        <div className="field">
            <label className="pick">
                <input type="checkbox" checked={draft === true} aria-describedby={id}
                    onChange={({ target }) => set(target.checked)} />
                <span>{member.label}<span className="caption" id={id}>{helpOf(schema)}</span></span>
            </label>
            <Said id={`${id}-wrong`} text={field.mistakes.get(field.path)} />
        </div>
    );
}

function Choices({ field }: { field: FieldProperties }): ReactElement {
    const { member, schema, draft, set } = field;
    const chosen = Array.isArray(draft) ? draft.map(String) : [];
    const values = schema.items?.enum?.filter((value) => value !== null)
        ?? Object.keys(member.words ?? {});
    return (
        <fieldset className="field">
            <legend className="caption">{member.label}</legend>
            {values.map((value) => (
                <label className="pick" key={value}>
                    <input type="checkbox" checked={chosen.includes(value)}
                        onChange={({ target }) => set(values.filter((one) =>
                            one === value ? target.checked : chosen.includes(one)))} />
                    {member.words?.[value] ?? value}
                </label>
            ))}
            <Said id={`${field.path}-wrong`} text={field.mistakes.get(field.path)} />
        </fieldset>
    );
}

// The members of a group, or of one of many.
export function Members({ path, members, schema, group, mistakes, set, first, help }: {
    path: string; members: Record<string, Member>; schema: Schema; group: Group;
    mistakes: ReadonlyMap<string, string>; set: (group: Group) => void; first?: boolean;
    help?: (name: string) => ReactNode;
}): ReactElement {
    return (
        <>
            {Object.entries(members).map(([name, member], i) => (
                <Field key={name} path={path ? `${path}.${name}` : name} member={member}
                    schema={schema.properties?.[name] ?? {}} draft={group[name] ?? ''}
                    required={schema.required?.includes(name) ?? false} mistakes={mistakes}
                    autoFocus={(first ?? false) && i === 0} help={help?.(name)}
                    set={(draft) => set({ ...group, [name]: draft })} />
            ))}
        </>
    );
}

function GroupOf({ field }: { field: FieldProperties }): ReactElement {
    const { member, schema, path, draft, mistakes, set } = field;
    const group = typeof draft === 'object' && !Array.isArray(draft) ? draft : {};
    return (
        <fieldset className="field">
            <legend className="caption">{member.label}</legend>
            <span className="caption">{helpOf(schema)}</span>
            <Members path={path} members={member.members ?? {}} schema={schema} group={group}
                mistakes={mistakes} set={set} />
            <Said id={`${path}-wrong`} text={mistakes.get(path)} />
        </fieldset>
    );
}

export function Field(field: FieldProperties): ReactElement {
    const { member, schema, path, mistakes, required } = field;
    const id = useId();
    const kind = kindOf(schema);
    const wrong = mistakes.get(path);
    switch (kind) {
        case 'flag':
            if (!member.words) {
                return <Flag field={field} />;
            }
            break;
        case 'choices':
            return <Choices field={field} />;
        case 'list':
            return member.records ? <RecordList field={field} path={member.records} />
                : member.words ? <Choices field={field} /> : <Words field={field} />;
        case 'rows':
            return <Rows field={field} />;
        case 'group':
            return <GroupOf field={field} />;
    }
    if (member.records) {
        return <OneRecord field={field} path={member.records} />;
    }
    const attributes = {
        'aria-required': required, 'aria-invalid': wrong !== undefined,
        'aria-describedby': `${id}-help ${id}-wrong`, autoFocus: field.autoFocus ?? false,
    };
    return (
        <Labelled id={id} member={member} wrong={wrong} help={field.help ?? helpOf(schema)}>
            {kind === 'choice' || kind === 'flag' ? <Choice id={id} field={field} attributes={attributes} />
                : <Typed id={id} field={field} attributes={attributes} />}
        </Labelled>
    );
}

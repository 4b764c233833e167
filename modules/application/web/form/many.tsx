// SPDX-License-Identifier: Apache-2.0
//
// Members that hold many: words, records in their order, rows of members.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { unread } from '../api/names.ts';
import type { RecordsPath } from '../api/records.ts';
import { useRecords } from '../api/records.ts';
import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { RecordPicker } from '../parts/record-picker.tsx';
import { t } from '../texts/texts.ts';
import type { Draft, Group } from './draft.ts';
import { Members, Said } from './field.tsx';
import type { FieldProperties } from './field.tsx';
import { helpOf } from './schema.ts';

const texts = (draft: Draft): string[] =>
    Array.isArray(draft) ? draft.filter((one): one is string => typeof one === 'string') : [];

const groups = (draft: Draft): Group[] =>
    Array.isArray(draft) ? draft.filter((one): one is Group => typeof one === 'object') : [];

const without = <One,>(all: One[], at: number): One[] => all.filter((_, i) => i !== at);

function upwards<One>(all: One[], at: number): One[] {
    const made = [...all];
    made.splice(at - 1, 0, ...made.splice(at, 1));
    return made;
}

// Buttons beside an element: move up, remove.
function Place<One>({ all, at, name, set }: {
    all: One[]; at: number; name: string; set: (all: One[]) => void;
}): ReactElement {
    return (
        <span className="line push">
            {at > 0 ? (
                <Button kind="row plain" label={t.form.earlier(name)}
                    onPress={() => set(upwards(all, at))}>
                    <Glyph name="above" />
                </Button>
            ) : null}
            <Button kind="row plain" label={t.form.remove(name)}
                onPress={() => set(without(all, at))}>
                <Glyph name="close" />
            </Button>
        </span>
    );
}

// Input for a list of texts, one on each line.
export function Words({ field }: { field: FieldProperties }): ReactElement {
    const { member, schema, draft, path, mistakes, set } = field;
    const wrong = mistakes.get(path) ?? [...mistakes].find(([at]) => at.startsWith(`${path}[`))?.[1];
    return (
        <div className="field">
            <label htmlFor={path}>{member.label}</label>
            <textarea id={path} rows={3} value={texts(draft).join('\n')}
                aria-invalid={wrong !== undefined}
                onChange={({ target }) => set(target.value ? target.value.split('\n') : [])} />
            <span className="caption">{t.form.aLineEach} {helpOf(schema)}</span>
            <Said id={`${path}-wrong`} text={wrong} />
        </div>
    );
}

export function RecordList({ field, path }: {
    field: FieldProperties; path: RecordsPath;
}): ReactElement {
    const { member, schema, draft, mistakes, set } = field;
    const all = useRecords(path);
    // A picker that has picked begins anew.
    const [round, setRound] = useState(0);
    const chosen = texts(draft);
    const names = new Map(all.map(({ id, name }) => [id, name]));
    const wrong = mistakes.get(field.path)
        ?? [...mistakes].find(([at]) => at.startsWith(`${field.path}[`))?.[1];
    return (
        <fieldset className="field">
            <legend className="caption">{member.label}</legend>
            <ol className="many">
                {chosen.map((id, i) => (
                    <li className="line" key={id}>
                        <span className="cut">{names.get(id) ?? unread}</span>
                        <Place all={chosen} at={i} name={names.get(id) ?? unread} set={set} />
                    </li>
                ))}
            </ol>
            <RecordPicker key={round} label={t.form.add(member.label)} chosen=""
                help={helpOf(schema)} none={t.form.noRecord} autoFocus={round > 0}
                items={all.filter(({ id, active }) => active && !chosen.includes(id))}
                choose={(id) => {
                    if (id) {
                        set([...chosen, id]);
                        setRound(round + 1);
                    }
                }} />
            <Said id={`${field.path}-wrong`} text={wrong} />
        </fieldset>
    );
}

export function Rows({ field }: { field: FieldProperties }): ReactElement {
    const { member, schema, draft, path, mistakes, set } = field;
    const rows = groups(draft);
    const items = schema.items ?? {};
    const fresh = (): Group => Object.fromEntries(Object.entries(items.properties ?? {})
        .map(([name, { default: value }]) =>
            [name, typeof value === 'boolean' ? value : value === undefined ? '' : String(value)]));
    return (
        <fieldset className="field">
            <legend className="caption">{member.label}</legend>
            <span className="caption">{helpOf(schema)}</span>
            <ol className="many">
                {rows.map((row, i) => (
                    <li key={i}>
                        <span className="line">
                            <strong>{i + 1}</strong>
                            <Place all={rows} at={i} name={`${member.label} ${i + 1}`} set={set} />
                        </span>
                        <Members path={`${path}[${i}]`} members={member.members ?? {}} schema={items}
                            group={row} mistakes={mistakes}
                            set={(group) => set(rows.map((one, at) => at === i ? group : one))} />
                    </li>
                ))}
            </ol>
            <p><Button kind="row" onPress={() => set([...rows, fresh()])}>
                <Glyph name="plus" />{t.form.add(member.label)}
            </Button></p>
            <Said id={`${path}-wrong`} text={mistakes.get(path)} />
        </fieldset>
    );
}

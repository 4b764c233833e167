// SPDX-License-Identifier: Apache-2.0
//
// Members of a record that an act corrects at once, as they are: what is left as it is
// stays. If somebody else changes the record meanwhile, what was typed is kept.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { selectText } from '../parts/select-text.ts';
import { t } from '../texts/texts.ts';
import { Value } from './conflict.tsx';
import type { Member } from './definition.ts';
import { bodyFrom, changedIn, merged, same } from './draft.ts';
import type { Clock, Group } from './draft.ts';
import { Members } from './field.tsx';
import type { Schema } from './schema.ts';

const nothing: ReadonlyMap<string, string> = new Map();

export interface Correction {
    // Identity of the inputs, which begin anew with each reading of the record.
    key: string;
    base: Group;
    // Absent until the inputs are shown.
    mine?: Group;
    // The correction of the record as it was before somebody else changed it.
    before: Correction | undefined;
}

export const correctionOf = (base: Group, before?: Correction): Correction =>
    ({ key: crypto.randomUUID(), base, before });

// Begins the inputs with what was typed before, over what the record is now.
const begin = (of: Correction): Group => of.mine ??= of.before
    ? merged(of.before.base, of.base, of.before.mine ?? of.before.base, new Set()) : of.base;

export const correctedBy = (schema: Schema, { base, mine = base }: Correction, clock: Clock) =>
    bodyFrom(schema, base, mine, false, clock);

// Says what somebody else has changed.
function Theirs({ members, of: { base, before }, mine }: {
    members: Record<string, Member>; of: Correction; mine: Group;
}): ReactElement | null {
    const names = before ? changedIn(before.base, base).filter((name) => members[name]) : [];
    return names.length === 0 ? null : (
        <div role="status">
            {names.map((name) => {
                const member = members[name] ?? { label: name };
                return (
                    <p className="small" key={name}>
                        {t.form.theirsOf(member.label)}{' '}
                        <strong><Value draft={base[name] ?? ''} member={member} /></strong>
                        {same(mine[name], base[name]) ? null : <>. {t.form.again}</>}
                    </p>
                );
            })}
        </div>
    );
}

export function CorrectedFacts({ schema, members, of, legend }: {
    schema: Schema; members: Record<string, Member>; of: Correction; legend: string;
}): ReactElement {
    const [group, setGroup] = useState(() => begin(of));
    const shown = Object.fromEntries(Object.entries(members)
        .filter(([name]) => schema.properties?.[name] !== undefined));
    return (
        <>
            <Theirs members={shown} of={of} mine={group} />
            <fieldset className="corrected" onFocus={selectText}>
                <legend className="caption">{legend}</legend>
                <Members path="" members={shown} schema={schema} group={group} mistakes={nothing} first
                    set={(next) => {
                        setGroup(next);
                        of.mine = next;
                    }} />
            </fieldset>
        </>
    );
}

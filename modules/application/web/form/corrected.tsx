// SPDX-License-Identifier: Apache-2.0
//
// Members of a record that an act corrects at once, as they are: what is left as it is
// stays.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { selectText } from '../parts/select-text.ts';
import type { Member } from './definition.ts';
import type { Group } from './draft.ts';
import { Members } from './field.tsx';
import type { Schema } from './schema.ts';

const nothing: ReadonlyMap<string, string> = new Map();

export function CorrectedFacts({ schema, members, base, take, legend }: {
    schema: Schema; members: Record<string, Member>; base: Group; take: (group: Group) => void;
    legend: string;
}): ReactElement {
    const [group, setGroup] = useState(base);
    const shown = Object.fromEntries(Object.entries(members)
        .filter(([name]) => schema.properties?.[name] !== undefined));
    return (
        <fieldset className="corrected" onFocus={selectText}>
            <legend className="caption">{legend}</legend>
            <Members path="" members={shown} schema={schema} group={group} mistakes={nothing} first
                set={(next) => {
                    setGroup(next);
                    take(next);
                }} />
        </fieldset>
    );
}

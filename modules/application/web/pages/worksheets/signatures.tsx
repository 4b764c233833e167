// SPDX-License-Identifier: Apache-2.0
//
// The steps of a worksheet in their order: signed by whom, and the one to sign next.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { sign, withdraw } from '../../actions/worksheets.ts';
import type { Meaning, Worksheet } from '../../actions/worksheets.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { listen } from '../../keys/keyboard.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

const words = t.worksheets;
type Role = NonNullable<Read<'/worksheet-templates/{id}'>['signoffSteps'][number]['role']>;

const roleName = (role: Role | null): string | null => role === null ? null : t.reference.roles[role];

const meanings: Meaning[] = ['performed', 'reviewed', 'witnessed'];

// Returns the role that signs each step, by the version of the template with which the worksheet
// was begun.
function useRoles(one: Worksheet): (step: string) => Role | null {
    const template = useRead('/worksheet-templates/{id}', { params: { path: { id: one.templateId } } });
    return (step) => template.data?.signoffSteps.find(({ name }) => name === step)?.role ?? null;
}

function Signing({ one, step, role, dirty }: {
    one: Worksheet; step: string; role: Role | null; dirty: boolean;
}): ReactElement {
    const { roles } = useSession();
    // The first signature is that of the analyst; later ones are those of reviewers.
    const [meaning, setMeaning] = useState<Meaning>(one.signOffs.length ? 'reviewed' : 'performed');
    const refused = role !== null && !roles.includes(role) ? words.notYours(step, roleName(role))
        : dirty ? words.saveFirst : one.missing.length ? words.lacks(one.missing) : undefined;

    useEffect(() => listen([{ keys: 'Mod+Enter',
        run: () => refused === undefined && sign(one, step, meaning) }]),
    [one, step, meaning, refused]);
    return (
        <div className="again">
            <p className="field">
                <label htmlFor="meaning">{words.meaning}</label>
                <select id="meaning" value={meaning} onChange={({ target }) =>
                    setMeaning(meanings.find((known) => known === target.value) ?? 'performed')}>
                    {meanings.map((known) => (
                        <option key={known} value={known}>{words.meanings[known]}</option>
                    ))}
                </select>
            </p>
            <p>
                <Button kind="primary" keys="Ctrl Enter" refused={refused}
                    onPress={() => sign(one, step, meaning)}>
                    {words.sign(step)}
                </Button>
                {refused ? <span className="caption why-not" aria-hidden="true">{refused}</span> : null}
            </p>
        </div>
    );
}

export function Signatures({ one, dirty }: { one: Worksheet; dirty: boolean }): ReactElement {
    const [next] = one.needsSignoff;
    const roleOf = useRoles(one);
    return (
        <aside className="beside" aria-labelledby="steps">
            <h2 id="steps">{words.steps}</h2>
            <ol className="same">
                {one.signOffs.map(({ step, meaning, printedName, signedAt }) => (
                    <li key={step}>
                        <Status glyph="reported" tone="reported">{step}</Status>
                        <span className="caption">
                            {words.signed(words.meanings[meaning], printedName)}{' '}
                            <Moment at={signedAt} />
                        </span>
                    </li>
                ))}
                {one.needsSignoff.map((step) => (
                    <li key={step} aria-current={step === next ? 'step' : undefined}>
                        <Status glyph="progress" tone="progress">{step}</Status>
                        <span className="caption">
                            {step === next ? words.next : words.waits}, {words.by(roleName(roleOf(step)))}
                        </span>
                    </li>
                ))}
            </ol>
            {next !== undefined && may('worksheet.sign')
                ? <Signing key={next} one={one} step={next} role={roleOf(next)} dirty={dirty} /> : null}
            {one.signOffs.length && may('worksheet.sign') ? (
                <p className="section">
                    <Button kind="row" onPress={() => withdraw(one)}>{words.withdraw}</Button>
                </p>
            ) : null}
        </aside>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Comparing a signed file of heads, kept outside, with the chain as it is.
import { useState } from 'react';
import type { ChangeEvent, ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { Refused } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { Findings } from './findings.tsx';
import type { Finding } from './findings.tsx';

interface Comparison {
    sound: boolean;
    headsCompared: number;
    findings: Finding[];
}

type State = { is: 'none' } | { is: 'comparing' } | { is: 'refused'; problem: Problem }
    | { is: 'compared'; name: string; outcome: Comparison };

const words = t.audit.proof;

function Outcome({ name, outcome }: { name: string; outcome: Comparison }): ReactElement {
    return (
        <>
            {outcome.sound ? (
                <Status glyph="ready" tone="ready">
                    {words.same(name, outcome.headsCompared)}
                </Status>
            ) : <Status glyph="blocked" tone="blocked">{words.differs(name)}</Status>}
            <Findings findings={outcome.findings} />
        </>
    );
}

export function Compare(): ReactElement {
    const [state, setState] = useState<State>({ is: 'none' });
    const compare = async (file: File): Promise<void> => {
        setState({ is: 'comparing' });
        const outcome = await answer(api.POST('/audit-blocks/compare',
            { body: { file: await file.text() } }));
        setState({ is: 'compared', name: file.name, outcome });
    };
    const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
        const [file] = target.files ?? [];
        if (file) {
            compare(file).catch((error: unknown) =>
                setState({ is: 'refused', problem: asProblem(error) }));
        }
    };
    return (
        <section className="section" aria-label={words.compare}>
            <h2>{words.compare}</h2>
            <p>{words.compareWhat}</p>
            <p className="field">
                <label htmlFor="heads">{words.file}</label>
                <input id="heads" type="file" onChange={choose} />
            </p>
            <div role="status">
                {state.is === 'comparing'
                    ? <Status glyph="progress" tone="progress">{words.comparing}</Status> : null}
                {state.is === 'compared'
                    ? <Outcome name={state.name} outcome={state.outcome} /> : null}
            </div>
            {state.is === 'refused' ? <Refused problem={state.problem} /> : null}
        </section>
    );
}

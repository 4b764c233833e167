// SPDX-License-Identifier: Apache-2.0
//
// A section in which a kept file is chosen and checked by the service.
import { useState } from 'react';
import type { ChangeEvent, ReactElement } from 'react';

import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { Refused } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';

type State<Outcome> = { is: 'none' } | { is: 'checking' } | { is: 'refused'; problem: Problem }
    | { is: 'checked'; name: string; outcome: Outcome };

export function FileCheck<Outcome>({ id, words, check, children }: {
    id: string;
    words: { title: string; what: string; file: string; checking: string };
    check: (text: string) => Promise<Outcome>;
    children: (name: string, outcome: Outcome) => ReactElement;
}): ReactElement {
    const [state, setState] = useState<State<Outcome>>({ is: 'none' });
    const checked = async (file: File): Promise<void> => {
        setState({ is: 'checking' });
        const outcome = await check(await file.text());
        setState({ is: 'checked', name: file.name, outcome });
    };
    const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
        const [file] = target.files ?? [];
        if (file) {
            checked(file).catch((error: unknown) =>
                setState({ is: 'refused', problem: asProblem(error) }));
        }
    };
    return (
        <section className="section" aria-label={words.title}>
            <h2>{words.title}</h2>
            <p>{words.what}</p>
            <p className="field">
                <label htmlFor={id}>{words.file}</label>
                <input id={id} type="file" onChange={choose} />
            </p>
            <div role="status">
                {state.is === 'checking'
                    ? <Status glyph="progress" tone="progress">{words.checking}</Status> : null}
                {state.is === 'checked' ? children(state.name, state.outcome) : null}
            </div>
            {state.is === 'refused' ? <Refused problem={state.problem} /> : null}
        </section>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Changing the own password with the old one.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { changed } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

const words = t.account;

export function Wrong({ problem }: { problem: Problem }): ReactElement {
    return (
        <p className="verdict blocked" role="alert" id="wrong">
            <Glyph name="blocked" />
            <span>{words.wrong(t.sentence(problem), problem.attemptsLeft)}</span>
        </p>
    );
}

export function NewPassword({ problem }: { problem: Problem | null }): ReactElement {
    return (
        <p className="field">
            <label htmlFor="new-password">{words.fresh}</label>
            <input id="new-password" name="new" type="password" required minLength={12}
                autoComplete="new-password" aria-invalid={problem?.status === 400}
                aria-describedby={problem ? 'rule wrong' : 'rule'} />
            <span className="caption" id="rule">{words.rule}</span>
        </p>
    );
}

export function ChangePassword(): ReactElement {
    const { person } = useSession();
    const [problem, setProblem] = useState<Problem | null>(null);
    const submit = async (form: HTMLFormElement): Promise<void> => {
        const given = new FormData(form);
        await answer(api.POST('/session/password', { body: {
            oldPassword: String(given.get('old')), newPassword: String(given.get('new')) } }));
        form.reset();
        changed('/sessions');
        say({ tone: 'ready', text: words.changed });
    };
    const send = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setProblem(null);
        submit(event.currentTarget).catch((error: unknown) => setProblem(asProblem(error)));
    };

    return (
        <section className="section" aria-label={words.password}>
            <h2>{words.password}</h2>
            <form aria-label={words.change} onSubmit={send} data-scanned>
                {problem ? <Wrong problem={problem} /> : null}
                <input type="hidden" autoComplete="username" value={person.email} readOnly />
                <p className="field">
                    <label htmlFor="old-password">{words.old}</label>
                    <input id="old-password" name="old" type="password" required
                        autoComplete="current-password" aria-invalid={problem?.status === 403}
                        aria-describedby={problem ? 'wrong' : undefined} />
                </p>
                <NewPassword problem={problem} />
                <Button kind="primary" type="submit">{words.change}</Button>
            </form>
        </section>
    );
}

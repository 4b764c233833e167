// SPDX-License-Identifier: Apache-2.0
//
// The password that only signs, of who signs in by an identity: a first one just after
// signing in, each later one with the old one.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { recognize } from '../../api/sign-in.ts';
import { Button } from '../../parts/button.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';
import { NewPassword, Wrong } from './change-password.tsx';

const words = t.account;

export function SignaturePassword(): ReactElement {
    const { person } = useSession();
    const [problem, setProblem] = useState<Problem | null>(null);
    const submit = async (form: HTMLFormElement): Promise<void> => {
        const given = new FormData(form);
        const oldPassword = String(given.get('old')) || undefined;
        await answer(api.POST('/session/signature-password', { body: {
            oldPassword, newPassword: String(given.get('new')) } }));
        form.reset();
        say({ tone: 'ready', text: words.signing.set });
        await recognize();
    };
    const send = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setProblem(null);
        submit(event.currentTarget).catch((error: unknown) => setProblem(asProblem(error)));
    };

    return (
        <section className="section" aria-label={words.signing.title}>
            <h2>{words.signing.title}</h2>
            <p className="caption">{words.signing.what}</p>
            <form aria-label={words.signing.act} onSubmit={send} data-scanned>
                {problem ? <Wrong problem={problem} /> : null}
                <input type="hidden" autoComplete="username" value={person.email} readOnly />
                <p className="field">
                    <label htmlFor="old-password">{words.signing.old}</label>
                    <input id="old-password" name="old" type="password"
                        autoComplete="current-password" aria-invalid={problem?.status === 403}
                        aria-describedby={problem ? 'wrong' : undefined} />
                </p>
                <NewPassword problem={problem} />
                <Button kind="primary" type="submit">{words.signing.act}</Button>
            </form>
        </section>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The page of somebody who is not signed in.
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { signIn } from '../../api/sign-in.ts';
import type { Choice, Credentials } from '../../api/sign-in.ts';
import { hasNames, waysIn } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { paths } from '../../paths.ts';
import { t } from '../../texts/texts.ts';

function Wrong({ problem }: { problem: Problem }): ReactElement {
    return (
        <p className="verdict blocked" role="alert" id="wrong">
            <Glyph name="blocked" />
            <span>
                {problem.status === 401 && hasNames() ? t.signIn.wrongName : t.sentence(problem)}
            </span>
        </p>
    );
}

function Laboratories({ choices, choose }: {
    choices: Choice[]; choose: (code: string) => void;
}): ReactElement {
    return (
        <section className="section" aria-label={t.signIn.laboratory}>
            <p>{t.signIn.choose}</p>
            <ul className="choices">
                {choices.map(({ code, name }, i) => (
                    <li key={code}>
                        <Button autoFocus={i === 0} onPress={() => choose(code)}>{name}</Button>
                    </li>
                ))}
            </ul>
        </section>
    );
}

export function SignInPage(): ReactElement {
    const [problem, setProblem] = useState<Problem | null>(null);
    const [choices, setChoices] = useState<{ list: Choice[]; given: Credentials } | null>(null);
    const attempt = (given: Credentials): void => {
        signIn(given)
            .then((list) => setChoices(list ? { list, given } : null))
            .catch((error: unknown) => setProblem(asProblem(error)));
    };
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setProblem(null);
        const form = new FormData(event.currentTarget);
        attempt({ email: String(form.get('email')), password: String(form.get('password')) });
    };

    useEffect(() => {
        document.title = `${t.signIn.title} · ${t.product}`;
    }, []);
    return (
        <main className={`entry ${waysIn() === 'httpd' ? 'only-sign-on' : ''}`}>
            <h1>{t.signIn.title}</h1>
            <p className="quiet">{location.hostname}</p>
            {waysIn() === 'password' ? null : (
                <p><a className="btn primary" href={paths.signOn()}>{t.account.signOn.go}</a></p>
            )}
            <form aria-label={t.signIn.title} onSubmit={submit} data-scanned>
                {problem ? <Wrong problem={problem} /> : null}
                <p className="field">
                    <label htmlFor="email">{hasNames() ? t.signIn.name : t.signIn.email}</label>
                    <input id="email" name="email" type={hasNames() ? 'text' : 'email'}
                        autoComplete="username" autoCapitalize="none" spellCheck={false} required
                        autoFocus aria-describedby={problem ? 'wrong' : undefined} />
                </p>
                <p className="field">
                    <label htmlFor="password">{t.signIn.password}</label>
                    <input id="password" name="password" type="password" required
                        autoComplete="current-password" aria-invalid={problem?.status === 401}
                        aria-describedby={problem ? 'wrong' : undefined} />
                </p>
                <Button kind="primary" type="submit">{t.signIn.act}</Button>
            </form>
            {choices ? (
                <Laboratories choices={choices.list}
                    choose={(organization) => attempt({ ...choices.given, organization })} />
            ) : null}
            <p className="caption">{hasNames() ? t.signIn.helpNames : t.signIn.help}</p>
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The page of a one-time link: its token stands in the fragment, which no server sees, and
// is taken out of the address at once. It sets a password and signs nobody in.
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { paths } from '../../paths.ts';
import { t } from '../../texts/texts.ts';
import { NewPassword, Wrong } from '../account/change-password.tsx';

const words = t.account.link;
const token = location.pathname === paths.link() ? location.hash.slice(1) : '';

// Whether this page was opened by a link.
export const isLink = location.pathname === paths.link();

function Done({ email }: { email: string }): ReactElement {
    return (
        <>
            <p role="status">{words.done(email)}</p>
            <p><a className="btn primary" href={paths.home()} autoFocus>{words.signIn}</a></p>
        </>
    );
}

function SetPassword({ done }: { done: (email: string) => void }): ReactElement {
    const [problem, setProblem] = useState<Problem | null>(null);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setProblem(null);
        const password = String(new FormData(event.currentTarget).get('new'));
        answer(api.POST('/session/link', { body: { token, password } }))
            .then(({ email }) => done(email), (error: unknown) => setProblem(asProblem(error)));
    };

    return (
        <form aria-label={words.title} onSubmit={submit} data-scanned>
            {problem ? <Wrong problem={problem} /> : null}
            <NewPassword problem={problem} />
            <Button kind="primary" type="submit">{words.act}</Button>
            <p className="caption">{words.help}</p>
        </form>
    );
}

export function LinkPage(): ReactElement {
    const [email, setEmail] = useState<string | null>(null);

    useEffect(() => {
        document.title = `${words.title} · ${t.product}`;
        history.replaceState(null, '', location.pathname);
    }, []);
    return (
        <main className="entry">
            <h1>{words.title}</h1>
            <p className="quiet">{location.hostname}</p>
            {email !== null ? <Done email={email} />
                : token ? <SetPassword done={setEmail} /> : <p className="verdict blocked" role="alert">
                        <Glyph name="blocked" /><span>{words.none}</span>
                    </p>}
        </main>
    );
}

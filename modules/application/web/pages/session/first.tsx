// SPDX-License-Identifier: Apache-2.0
//
// Notices after signing in, before the work: that a link has set the password, and, once, what
// signing means.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { become } from '../../api/session.ts';
import type { Session } from '../../api/session.ts';
import { recognize, signOut } from '../../api/sign-in.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Refused } from '../../parts/states.tsx';
import { t } from '../../texts/texts.ts';

const words = t.account;

const told = new Set<number>();
let atWork: number | null = null;

// Whether there is something to tell before the work begins. Whoever is at work already, and
// signs in again in place, keeps the page and what was typed.
export function isFirst(session: Session): boolean {
    const tells = session.accountableSince === null
        || (session.passwordSetByLinkAt !== null && !told.has(session.id));
    if (tells && atWork !== session.person.id) {
        return true;
    }
    atWork = session.person.id;
    return false;
}

function SetByLink({ session }: { session: Session }): ReactElement {
    return (
        <>
            <h1>{words.byLink.title}</h1>
            <p>{words.byLink.at}: <Moment at={session.passwordSetByLinkAt ?? session.startedAt} />.</p>
            <p>{words.byLink.text}</p>
            <Button kind="primary" autoFocus onPress={() => {
                told.add(session.id);
                become({ is: 'in', session: { ...session } });
            }}>{words.byLink.goOn}</Button>
        </>
    );
}

function Statement({ refused }: { refused: (error: unknown) => void }): ReactElement {
    const accept = (): void => void answer(api.POST('/session/statement'))
        .then(recognize).catch(refused);
    return (
        <>
            <h1>{words.statement.title}</h1>
            <p>{words.statement.text}</p>
            <p className="line">
                <Button kind="primary" autoFocus onPress={accept}>{words.statement.accept}</Button>
                <Button onPress={() => void signOut().catch(refused)}>{t.person.signOut}</Button>
            </p>
            <p className="caption">{words.statement.recorded}</p>
        </>
    );
}

export function FirstPage({ session }: { session: Session }): ReactElement {
    const [problem, setProblem] = useState<Problem | null>(null);

    useEffect(() => {
        document.title = `${words.statement.title} · ${t.product}`;
    }, []);
    return (
        <main className="entry">
            {problem ? <Refused problem={problem} /> : null}
            {session.passwordSetByLinkAt && !told.has(session.id) ? <SetByLink session={session} />
                : <Statement refused={(error) => setProblem(asProblem(error))} />}
        </main>
    );
}

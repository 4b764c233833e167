// SPDX-License-Identifier: Apache-2.0
//
// The own account: where the person is signed in, and the password.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import { changed, useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { browserOf } from '../../nouns/browser.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { say } from '../../parts/toast.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { ChangePassword } from './change-password.tsx';
import { SignaturePassword } from './signature-password.tsx';

type OwnSession = Read<'/sessions'>['data'][number];

const words = t.account;

async function end({ id }: OwnSession): Promise<void> {
    await answer(api.POST('/sessions/{id}/end', { params: { path: { id } } }));
    changed('/sessions');
    say({ tone: 'ready', text: words.ended });
}

function End({ session }: { session: OwnSession }): ReactElement {
    const browser = browserOf(session.browser);
    return session.current ? <>{words.here}</> : (
        <Button label={words.endOf(session.address, browser)}
            onPress={() => void end(session).catch(tell)}>{words.end}</Button>
    );
}

function Sessions(): ReactElement {
    const found = useRead('/sessions', { params: { query: { active: true, order: '-id' } } },
        { live: 15 });
    return (
        <section className="section" aria-label={words.sessions}>
            <h2>{words.sessions}</h2>
            <PlainTable label={words.sessions} none={words.noSessions} found={found} columns={[
                { title: words.columns.since, className: 'w-when',
                    cell: (one) => <Moment at={one.createdAt} /> },
                { title: words.columns.used, className: 'w-when',
                    cell: (one) => <Moment at={one.lastUsedAt} /> },
                { title: words.columns.address, className: 'w-id', cell: (one) => one.address },
                { title: words.columns.browser, cell: (one) => (
                    <span title={one.browser ?? undefined}>{browserOf(one.browser)}</span>
                ) },
                { title: words.columns.act, className: 'w-state',
                    cell: (one) => <End session={one} /> },
            ]} />
        </section>
    );
}

// Passwords of the person; the password of a directory is changed in the directory.
function Passwords(): ReactElement {
    const { method } = useSession().signature;
    return method === 'password' ? <ChangePassword />
        : method === 'signature-password' ? <SignaturePassword />
            : <p className="caption">{words.elsewhere}</p>;
}

export function AccountPage(): ReactElement {
    useEffect(() => {
        document.title = `${words.title} · ${t.product}`;
    }, []);
    return (
        <main className="page" id="main">
            <div className="head"><h1>{words.title}</h1></div>
            <div className="body">
                <div className="pane account"><Sessions /><Passwords /></div>
            </div>
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Single sign-on: this page stands behind a module of httpd, which has found somebody. It
// names who that is, and its button begins the session; opened from a page whose session
// has ended, it tells that page and closes.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { asProblem, problemOf } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { tellOthers } from '../../api/session.ts';
import { visible } from '../../api/visible.ts';
import { Button } from '../../parts/button.tsx';
import { Refused } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { t } from '../../texts/texts.ts';

interface Found {
    type: string;
    subject: string;
    person: string | null;
    organizations: { code: string; name: string }[];
}

const words = t.account.signOn;

// Whether this page was opened there.
export const isSignOn = location.pathname === paths.signOn();

async function ask<T>(method: 'GET' | 'POST', body?: object): Promise<T> {
    const response = await fetch(paths.signOn('/identity'), { method,
        headers: { 'Content-Type': 'application/json', 'X-Lims-Request': '1' },
        ...(body ? { body: JSON.stringify(body) } : {}) });
    const said: unknown = await response.text().then((json): unknown => JSON.parse(visible(json)))
        .catch(() => null);
    if (!response.ok) {
        throw problemOf(response, said);
    }
    return said as T;
}

async function begin(organization: string): Promise<void> {
    const { id } = await ask<{ id: number }>('POST', { organization });
    tellOthers({ what: 'in', id });
    if (window.opener) {
        window.close();
    } else {
        location.assign(paths.home());
    }
}

function Choices({ found, refused }: {
    found: Found; refused: (error: unknown) => void;
}): ReactElement {
    return found.organizations.length === 0 ? (
        <p role="alert">{words.unknown(found.subject)}</p>
    ) : (
        <ul className="choices">
            {found.organizations.map(({ code, name }, i) => (
                <li key={code}>
                    <Button kind="primary" autoFocus={i === 0}
                        onPress={() => void begin(code).catch(refused)}>
                        {words.as(found.person ?? found.subject, name)}
                    </Button>
                </li>
            ))}
        </ul>
    );
}

export function SignOnPage(): ReactElement {
    const [found, setFound] = useState<Found | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const refused = (error: unknown): void => setProblem(asProblem(error));

    // Runs once, when the page is opened.
    useEffect(() => {
        document.title = `${words.title} · ${t.product}`;
        ask<Found>('GET').then(setFound, refused);
    }, []);
    return (
        <main className="entry">
            <h1>{words.title}</h1>
            {problem ? <Refused problem={problem} /> : null}
            {found ? <p className="quiet">{words.found(found.subject)}</p> : null}
            {found ? <Choices found={found} refused={refused} /> : null}
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// A page that the person may not open: which permission it needs, who has it, whom to ask.
import type { ReactElement, ReactNode } from 'react';

import { rolesWith } from '../api/session.ts';
import { Glyph } from '../parts/glyph.tsx';
import { useTitle } from '../parts/title.ts';
import { t } from '../texts/texts.ts';

const words: Record<string, string> = t.users.permissions.words;
const roleNames: Record<string, string> = t.reference.roles;

export function Lacking({ permission, children }: {
    permission: string; children: ReactNode;
}): ReactElement {
    const roles = rolesWith(permission).map((role) => roleNames[role] ?? role);

    useTitle(t.lacking.title);
    return (
        <main className="page" id="main">
            <div className="nothing" role="alert">
                <h1 className="status">
                    <Glyph name="blocked" tone="blocked" />{t.lacking.title}
                </h1>
                <p>{t.lacking.needs(words[permission] ?? permission)}</p>
                <p>{roles.length ? t.lacking.roles(roles) : t.lacking.nobody}</p>
                <p className="quiet">{t.lacking.ask}</p>
                {children}
            </div>
        </main>
    );
}

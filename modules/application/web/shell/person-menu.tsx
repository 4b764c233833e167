// SPDX-License-Identifier: Apache-2.0
//
// Menu of the person: who is signed in, whether the person can sign, and settings of this browser.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../acting/action.ts';
import { useSession } from '../api/session.ts';
import type { Session } from '../api/session.ts';
import { signOut } from '../api/sign-in.ts';
import { MenuButton } from '../parts/menu.tsx';
import { paths } from '../paths.ts';
import { navigate, mayLeave } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { choose, chosen } from '../theme/choice.ts';
import type { Choice } from '../theme/choice.ts';

function signing({ signature }: Session): string {
    if (signature.lockedUntil && new Date(signature.lockedUntil) > new Date()) {
        return t.person.locked;
    }
    return signature.ready ? t.person.canSign : t.person.cannotSign;
}

function leave(): void {
    if (mayLeave()) {
        void signOut().catch(tell);
    }
}

export function PersonMenu({ help }: { help: () => void }): ReactElement {
    const session = useSession();
    const [choice, setChoice] = useState(chosen);
    const set = (change: Choice): void => {
        choose(change);
        setChoice(chosen());
    };
    const theme = (id: 'light' | 'dark' | undefined, title: string) => ({
        id: id ?? 'system',
        title,
        chosen: choice.theme === id,
        run: () => set({ theme: id }),
    });

    return (
        <MenuButton className="plain small person" items={[
            { id: 'account', title: t.account.title, run: () => navigate(paths.account()) },
            { id: 'keys', title: t.person.keys, keys: '?', run: help },
            theme(undefined, t.person.system),
            theme('light', t.person.light),
            theme('dark', t.person.dark),
            { id: 'rows', title: t.person.comfortable, chosen: choice.rows === 'comfortable',
                run: () => set({ rows: choice.rows ? undefined : 'comfortable' }) },
            { id: 'single', title: t.person.singleKeys, chosen: choice.singleKeys !== 'off',
                run: () => set({ singleKeys: choice.singleKeys ? undefined : 'off' }) },
            { id: 'out', title: t.person.signOut, run: leave },
        ]}>
            {session.person.displayName}<span className="unseen">: </span>
            <span className="status quiet">{signing(session)}</span>
        </MenuButton>
    );
}

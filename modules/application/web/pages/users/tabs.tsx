// SPDX-License-Identifier: Apache-2.0
//
// People, and what their roles may do.
import type { ReactElement } from 'react';

import { may } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

export function PeopleTabs({ shown }: { shown: 'users' | 'permissions' }): ReactElement {
    const words = t.users.tabs;
    return (
        <nav className="tabs" aria-label={t.users.title}>
            {may('user.manage') ? (
                <Link href={paths.users()} className="tab"
                    aria-current={shown === 'users' ? 'page' : undefined}>{words.users}</Link>
            ) : null}
            {may('policy.manage') ? (
                <Link href={paths.permissions()} className="tab"
                    aria-current={shown === 'permissions' ? 'page' : undefined}>
                    {words.permissions}
                </Link>
            ) : null}
        </nav>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Actions as buttons: the first is primary, two more stand beside it, the rest is a menu.
import type { ReactElement } from 'react';

import { Button } from '../parts/button.tsx';
import { MenuButton } from '../parts/menu.tsx';
import { t } from '../texts/texts.ts';
import type { Ready } from './action.ts';

export function ActBar({ actions }: { actions: Ready[] }): ReactElement {
    const usual = actions.filter((action) => action.refused === undefined);
    const shown = [...usual, ...actions.filter((action) => action.refused !== undefined)];
    const beside = shown.filter(({ rare }) => !rare).slice(0, 3);
    const rest = shown.filter((action) => !beside.includes(action));

    return (
        <>
            {beside.map((action, i) => (
                <Button key={action.id} keys={action.keys} refused={action.refused}
                    {...(i === 0 ? { kind: 'primary' as const } : {})} onPress={action.run}>
                    {action.title}
                </Button>
            ))}
            {rest.length ? <MenuButton items={rest} label={t.more}>{t.more}</MenuButton> : null}
        </>
    );
}

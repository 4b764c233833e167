// SPDX-License-Identifier: Apache-2.0
//
// Actions as buttons: the next step of the work is primary, others stand beside it, the rest
// is a menu.
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

    const primary = beside.find(({ step, refused }) => step && refused === undefined);

    return (
        <>
            {beside.map((action) => (
                <Button key={action.id} keys={action.keys} refused={action.refused}
                    {...(action === primary ? { kind: 'primary' } : {})} onPress={action.run}>
                    {action.title}
                </Button>
            ))}
            {rest.length ? <MenuButton items={rest} label={t.more}>{t.more}</MenuButton> : null}
        </>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Saved views of the list: a person's own, and those that are shared.
import type { ReactElement } from 'react';

import { ask } from '../../actions/ask.ts';
import { answer, api } from '../../api/client.ts';
import { changed, useRead } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { MenuButton } from '../../parts/menu.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { searchWith } from '../../table/filter.ts';
import type { Filters } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';

const page = 'samples';

export const saveView = (filters: Filters): void => ask({
    kind: 'reason',
    title: t.filters.saveTitle,
    name: t.filters.saveName,
    ...(may('reference.manage') ? { choices: {
        label: t.filters.whose, values: [{ id: 'shared', title: t.filters.shared }],
    } } : {}),
    perform: async ({ reason: name = '', chosen }) => {
        await answer(api.POST('/saved-views', { body: {
            name, page, query: searchWith(filters), shared: chosen.includes('shared'),
        } }));
        await changed('/saved-views');
        say({ tone: 'ready', text: t.filters.saved(name) });
    },
});

export function Views(): ReactElement {
    const views = useRead('/saved-views', { params: { query: { page } } });
    return (
        <MenuButton className="plain" items={[
            { id: 'newest', title: t.filters.newest, run: () => navigate(paths.samples()) },
            ...(views.data?.data ?? []).map((view) => ({
                id: String(view.id),
                title: view.shared ? t.filters.sharedView(view.name) : view.name,
                run: () => navigate(paths.samples(view.query)),
            })),
        ]}>
            {t.filters.newest}
        </MenuButton>
    );
}

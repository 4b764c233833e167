// SPDX-License-Identifier: Apache-2.0
//
// Saved views of a list: a person's own, and those that are shared.
import type { ReactElement } from 'react';

import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed, useRead } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { may, useSession } from '../api/session.ts';
import { MenuButton } from '../parts/menu.tsx';
import { say } from '../parts/toast.tsx';
import { navigate, useAddress } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { searchWith } from './filter.ts';
import type { Filters } from './filter.ts';

type View = Read<'/saved-views'>['data'][number];

const words = t.filters;

const nameOf = ({ name, shared }: View): string => shared ? words.sharedView(name) : name;

export const saveView = (page: string, filters: Filters): void => ask({
    kind: 'reason',
    title: words.saveTitle,
    name: words.saveName,
    ...(may('reference.manage') ? { choices: {
        label: words.whose, values: [{ id: 'shared', title: words.shared }],
    } } : {}),
    perform: async ({ reason: name = '', chosen }) => {
        await answer(api.POST('/saved-views', { body: {
            name, page, query: searchWith(filters), shared: chosen.includes('shared'),
        } }));
        await changed('/saved-views');
        say({ tone: 'ready', text: words.saved(name) });
    },
});

const forget = (views: View[]): void => ask({
    kind: 'confirm',
    title: words.forget,
    choices: { label: words.views, values: views.map((view) =>
        ({ id: String(view.id), title: nameOf(view) })) },
    perform: async ({ chosen }) => {
        await each(views.filter(({ id }) => chosen.includes(String(id))), nameOf,
            ({ id }) => answer(api.DELETE('/saved-views/{id}', {
                params: { path: { id } }, body: {} })),
            words.forgotten);
        await changed('/saved-views');
    },
});

// `page`: the list's name among views; `path`: where it is.
export function Views({ page, path }: { page: string; path: string }): ReactElement {
    const { person } = useSession();
    const { search } = useAddress();
    const views = useRead('/saved-views', { params: { query: { page } } }).data?.data ?? [];
    const own = views.filter(({ ownerId, shared }) =>
        ownerId === person.id || (shared && may('reference.manage')));
    return (
        <MenuButton className="plain" items={[
            { id: 'newest', title: words.newest, run: () => navigate(path) },
            ...views.map((view) => ({
                id: String(view.id), title: nameOf(view),
                run: () => navigate(path + view.query),
            })),
            ...own.length ? [{ id: 'forget', title: words.forgetSome, run: () => forget(own) }] : [],
        ]}>
            {views.find(({ query }) => query === search)?.name ?? words.newest}
        </MenuButton>
    );
}

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const List = later(async () => (await import('./list.tsx')).ConfirmationList);
const Record = later(async () => (await import('./record.tsx')).ConfirmationRecord);

export const confirmationRoutes: Route[] = [
    {
        pattern: '/confirmations',
        rail: { group: 'work', place: 60, title: t.confirmations.title },
        permission: 'data.read',
        page: () => <List />,
    },
    {
        pattern: '/confirmations/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <Record key={id} id={Number(id)} tab={tab ?? ''} />,
    },
];

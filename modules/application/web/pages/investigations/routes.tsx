// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const List = later(async () => (await import('./list.tsx')).InvestigationList);
const Record = later(async () => (await import('./record.tsx')).InvestigationRecord);

export const investigationRoutes: Route[] = [
    {
        pattern: '/investigations',
        rail: { group: 'work', place: 90, title: t.investigations.title },
        permission: 'data.read',
        page: () => <List />,
    },
    {
        pattern: '/investigations/new',
        permission: 'investigation.work',
        page: () => <List opening />,
    },
    {
        pattern: '/investigations/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <Record key={id} id={Number(id)} tab={tab ?? ''} />,
    },
];

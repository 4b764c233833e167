// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const KeyList = later(async () => (await import('./list.tsx')).KeyList);

export const keyRoutes: Route[] = [
    {
        pattern: '/keys/:record?/:act?',
        rail: { group: 'administration', place: 220, title: t.apiKeys.title },
        permission: 'key.manage',
        page: ({ record, act }) => <KeyList record={record ?? ''} act={act} />,
    },
];

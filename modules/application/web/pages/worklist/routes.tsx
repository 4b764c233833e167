// SPDX-License-Identifier: Apache-2.0
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { WorklistPage } from './worklist.tsx';

export const worklistRoutes: Route[] = [
    {
        pattern: '/worklist',
        rail: { group: 'work', place: 30, title: t.bench.worklist.title },
        permission: 'data.read',
        page: () => <WorklistPage />,
    },
];

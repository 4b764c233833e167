// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const WorklistPage = later(async () => (await import('./worklist.tsx')).WorklistPage);
const WorklistTests = later(async () => (await import('./tests.tsx')).WorklistTests);

export const worklistRoutes: Route[] = [
    {
        pattern: '/worklist',
        rail: { group: 'work', place: 30, title: t.bench.worklist.title, also: ['/bench'] },
        permission: 'data.read',
        page: () => <WorklistPage />,
    },
    {
        pattern: '/worklist/tests',
        permission: 'data.read',
        page: () => <WorklistTests />,
    },
];

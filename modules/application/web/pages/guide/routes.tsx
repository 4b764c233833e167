// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const Guide = later(async () => (await import('./guide.tsx')).Guide);

export const guideRoutes: Route[] = [
    {
        pattern: '/guide/:role?',
        rail: { group: 'administration', place: 390, title: t.guide.title },
        permission: 'self',
        page: ({ role }) => <Guide role={role} />,
    },
];

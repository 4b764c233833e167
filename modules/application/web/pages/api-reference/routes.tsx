// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const ApiReference = later(async () => (await import('./page.tsx')).ApiReference);

export const apiReferenceRoutes: Route[] = [
    {
        pattern: '/api-reference/:operation?',
        rail: { group: 'administration', place: 395, title: t.apiReference.title },
        permission: 'self',
        page: ({ operation }) => <ApiReference operation={operation} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const VerifyPage = later(async () => (await import('./verify.tsx')).VerifyPage);

export const verifyRoutes: Route[] = [
    {
        pattern: '/verify',
        rail: { group: 'work', place: 60, title: t.verify.title },
        permission: 'result.verify',
        page: () => <VerifyPage />,
    },
];

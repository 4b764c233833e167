// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const ReceivePage = later(async () => (await import('./receive.tsx')).ReceivePage);

export const receiveRoutes: Route[] = [
    {
        pattern: '/receive',
        rail: { group: 'work', place: 20, title: t.receive.title },
        permission: 'sample.receive',
        page: () => <ReceivePage />,
    },
];

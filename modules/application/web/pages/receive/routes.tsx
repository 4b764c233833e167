// SPDX-License-Identifier: Apache-2.0
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { ReceivePage } from './receive.tsx';

export const receiveRoutes: Route[] = [
    {
        pattern: '/receive',
        rail: { group: 'work', place: 20, title: t.receive.title },
        permission: 'sample.receive',
        page: () => <ReceivePage />,
    },
];

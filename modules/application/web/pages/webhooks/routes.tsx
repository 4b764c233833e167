// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const Endpoints = later(async () => (await import('./endpoints.tsx')).Endpoints);
const Deliveries = later(async () => (await import('./deliveries.tsx')).Deliveries);

export const webhookRoutes: Route[] = [
    {
        pattern: '/webhooks/:record?/:act?',
        rail: { group: 'administration', place: 230, title: t.webhooks.title,
            also: ['/webhook-deliveries'] },
        permission: 'webhook.manage',
        page: ({ record, act }) => <Endpoints record={record ?? ''} act={act} />,
    },
    {
        pattern: '/webhook-deliveries/:id?',
        permission: 'webhook.manage',
        page: ({ id }) => <Deliveries id={id === undefined ? null : Number(id)} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const AccessionPage = later(async () => (await import('./accession.tsx')).AccessionPage);
const OrderList = later(async () => (await import('./list.tsx')).OrderList);
const OrderRecord = later(async () => (await import('./record.tsx')).OrderRecord);

export const orderRoutes: Route[] = [
    {
        pattern: '/orders/new',
        rail: { group: 'work', place: 15, title: t.orders.accession },
        permission: 'sample.register',
        page: () => <AccessionPage />,
    },
    {
        pattern: '/orders',
        rail: { group: 'work', place: 16, title: t.orders.title },
        permission: 'data.read',
        page: () => <OrderList />,
    },
    {
        pattern: '/orders/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab = '' }) => <OrderRecord key={id} id={Number(id)} tab={tab} />,
    },
];

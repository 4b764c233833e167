// SPDX-License-Identifier: Apache-2.0
//
// Actions of the list of orders; each leads to the page on which it is done.
import type { Action } from '../acting/action.ts';
import type { Read } from '../api/read.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

type Order = Read<'/orders'>['data'][number];

const isOne = (orders: Order[]): boolean => orders.length === 1;

export const orderActions: Action<Order[]>[] = [
    {
        id: 'order.create',
        title: () => t.orders.newOrder,
        permission: 'sample.register',
        step: true,
        keys: 'n',
        perform: () => navigate(paths.newOrder()),
    },
    {
        id: 'order.receive',
        title: ([order]) => t.orders.receiveOf(order?.orderNumber ?? ''),
        permission: 'sample.receive',
        keys: 'r',
        visible: isOne,
        perform: ([order]) => order && navigate(paths.receive(order.id)),
    },
    {
        id: 'order.like',
        title: () => t.orders.like,
        permission: 'sample.register',
        visible: isOne,
        perform: ([order]) => order && navigate(paths.newOrder(order.id)),
    },
];

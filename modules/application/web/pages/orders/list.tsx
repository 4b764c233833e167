// SPDX-License-Identifier: Apache-2.0
//
// The orders, the newest first, by client and number.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { orderActions } from '../../actions/orders.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useRecordNames } from '../../api/records.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router.tsx';
import { filtersIn } from '../../table/filter.ts';
import type { Filter } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';

type Listed = Read<'/orders'>['data'][number];

const texts = t.orders;
const { heads } = texts;

const known: Filter[] = [
    { name: 'clientId', title: heads.client, records: '/clients' },
    { name: 'orderNumber', title: heads.number },
    { name: 'panelId', title: heads.panel, records: '/panels' },
];

const columnsOf = (clientOf: (id: unknown) => string): Column<Listed>[] => [
    { key: 'number', title: heads.number, className: 'w-ident stay', cellClass: 'id', heads: true,
        sorted: true, cell: ({ orderNumber }) => orderNumber },
    { key: 'client', title: heads.client, cell: ({ clientId }) => clientOf(clientId),
        hint: ({ clientId }) => clientOf(clientId) },
    { key: 'contact', title: heads.contact, className: 'w-who p3', cell: ({ contact }) => contact },
    { key: 'samples', title: heads.samples, className: 'w-short right',
        cell: ({ sampleCount }) => sampleCount },
    { key: 'registered', title: heads.registered, className: 'w-when',
        cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { key: 'notes', title: heads.notes, className: 'w-ident p2', cell: ({ notes }) => notes,
        hint: ({ notes }) => notes ?? undefined },
];

const none: Listed[] = [];

export function OrderList(): ReactElement {
    const { searchParams } = useAddress();
    const clientOf = useRecordNames('/clients');
    const columns = useMemo(() => columnsOf(clientOf), [clientOf]);
    const filters = filtersIn(searchParams, known);
    const cursor = searchParams.get('cursor');
    const found = useRead('/orders', { params: { query: { ...filters, order: '-id', limit: 50,
        ...(cursor ? { cursor: Number(cursor) } : {}) } } }, { live: 15 });

    return (
        <ListPage<Listed> title={texts.title} label={texts.list} columns={columns} found={found}
            rows={found.data?.data ?? none} nameOf={({ orderNumber }) => orderNumber}
            addressOf={({ id }) => paths.order(id)} actions={orderActions} none={texts.none}
            noneWhat={texts.noneWhat}
            filtered={Object.keys(filters).length > 0} list="/orders"
            head={<Views page="orders" path={paths.orders()} />}
            filters={<FilterBar known={known} views="orders" csv="/orders" />} />
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The orders, the newest first, of all clients or of one.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { useReferences } from './use-references.ts';

const texts = t.orders;
const { heads } = texts;

const PAGE = 50;

const numberIn = (search: URLSearchParams, name: string): number | undefined =>
    Number(search.get(name)) || undefined;

function Filter({ clientId, clients }: {
    clientId: number | undefined; clients: readonly { id: number; name: string }[];
}): ReactElement {
    return (
        <div className="filters">
            <label className="status">
                <span className="quiet">{texts.ofClient}</span>
                <select value={clientId ?? ''} onChange={({ target }) =>
                    navigate(paths.orders(target.value ? `?clientId=${target.value}` : ''))}>
                    <option value="">{texts.allClients}</option>
                    {clients.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
                </select>
            </label>
        </div>
    );
}

function Pages({ search, next }: {
    search: URLSearchParams; next: number | undefined;
}): ReactElement {
    const older = new URLSearchParams(search);
    older.set('cursor', String(next));
    const newest = new URLSearchParams(search);
    newest.delete('cursor');
    return (
        <div className="statusline">
            {search.has('cursor')
                ? <Link href={paths.orders(`?${newest.toString()}`)}>{texts.newest}</Link> : null}
            {next === undefined ? null
                : <Link href={paths.orders(`?${older.toString()}`)}>{texts.older}</Link>}
        </div>
    );
}

export function OrderList(): ReactElement {
    const { organization } = useSession();
    const { searchParams } = useAddress();
    const { clients } = useReferences();
    const clientId = numberIn(searchParams, 'clientId');
    const cursor = numberIn(searchParams, 'cursor');
    const found = useRead('/orders', { params: { query: { order: '-id', limit: PAGE,
        ...(clientId === undefined ? {} : { clientId }),
        ...(cursor === undefined ? {} : { cursor }) } } }, { live: 15 });
    const names = new Map(clients.map(({ id, name }) => [id, name]));

    useEffect(() => {
        document.title = `${texts.title} · ${organization.name}`;
    }, [organization.name]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                <span className="push" />
                {may('sample.register')
                    ? <Link className="btn primary" href={paths.newOrder()}>{texts.newOrder}</Link>
                    : null}
            </div>
            <Filter clientId={clientId} clients={clients} />
            <div className="body">
                <div className="pane" tabIndex={0}>
                    <PlainTable label={texts.list} none={texts.none} found={found} noneWhat={<>
                        <p className="quiet">{texts.noneWhat}</p>
                        {may('sample.register')
                            ? <p><Link href={paths.newOrder()}>{texts.begin}</Link></p> : null}
                    </>} columns={[
                        { title: heads.number, className: 'w-ident', cell: (order) => (
                            <Link className="id" href={paths.order(order.id)}>
                                {order.orderNumber}
                            </Link>
                        ) },
                        { title: heads.client, cell: ({ clientId: id }) => names.get(id) },
                        { title: heads.contact, cell: ({ contact }) => contact },
                        { title: heads.samples, className: 'w-code right',
                            cell: ({ sampleCount }) => sampleCount },
                        { title: heads.registered, className: 'w-when',
                            cell: ({ createdAt }) => <Moment at={createdAt} /> },
                        { title: heads.notes, className: 'p2', cell: ({ notes }) => notes },
                    ]} />
                </div>
            </div>
            <Pages search={searchParams}
                next={found.data?.hasMore ? found.data.nextCursor : undefined} />
        </main>
    );
}

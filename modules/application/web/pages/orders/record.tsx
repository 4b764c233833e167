// SPDX-License-Identifier: Apache-2.0
//
// An order: what is known of it, its samples, and how many of them are here.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { Moment } from '../../parts/moment.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';

const texts = t.orders;
const { heads } = texts;

type Order = Read<'/orders/{id}'>;

function Samples({ order }: { order: Order }): ReactElement {
    return (
        <PlainTable label={texts.sheet} none={texts.none}
            found={{ data: { data: order.samples }, error: null }} columns={[
                { title: heads.sample, className: 'w-ident', cell: ({ id, trackingId }) =>
                    <Link className="id" href={paths.sample(id)}>{trackingId}</Link> },
                { title: heads.location, className: 'w-name',
                    cell: ({ plantLocation }) => plantLocation },
                { title: heads.externalId, className: 'w-ident',
                    cell: ({ externalId }) => <span className="id">{externalId}</span> },
                { title: heads.status, className: 'w-state', cell: ({ status }) =>
                    t.samples.status[status] },
                { title: heads.received, className: 'w-when', cell: ({ receivedAt }) =>
                    receivedAt ? <Moment at={receivedAt} /> : '' },
                { title: heads.notes, cell: ({ notes }) => notes },
            ]} />
    );
}

function Head({ order }: { order: Order }): ReactElement {
    const waiting = order.samples.filter(({ status, disposition }) =>
        status === 'pending' && disposition === 'active').length;
    const here = order.samples.filter(({ receivedAt }) => receivedAt !== null).length;
    return (
        <div className="head">
            <h1 className="id">{order.orderNumber}</h1>
            <span className="quiet cut">
                {[order.samples[0]?.clientName, order.contact,
                    texts.received(here, order.samples.length)].filter(Boolean).join(', ')}
            </span>
            <span className="push" />
            {waiting > 0 && may('sample.receive') ? (
                <Link className="btn primary" href={paths.receive(order.id)}>
                    {texts.receive(waiting)}
                </Link>
            ) : null}
        </div>
    );
}

export function OrderRecord({ id }: { id: number }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/orders/{id}', { params: { path: { id } } }, { live: 15 });
    const order = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${order?.orderNumber ?? texts.title} · ${organization.name}`;
    }, [order?.orderNumber, organization.name]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            {order ? (
                <>
                    <Head order={order} />
                    {order.notes ? <p className="filters">{order.notes}</p> : null}
                    <div className="body">
                        <div className="pane" tabIndex={0}><Samples order={order} /></div>
                    </div>
                </>
            ) : <div className="head"><h1>{texts.title}</h1></div>}
            {!order && found.error ? <Refused problem={found.error} /> : null}
            {!order && !found.error ? <Waiting what={texts.title} /> : null}
        </main>
    );
}

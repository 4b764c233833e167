// SPDX-License-Identifier: Apache-2.0
//
// An order: its samples, how many of them are here, its history; contact and notes change.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { type Ready, ready, tell, useActions } from '../../acting/action.ts';
import { labelAction } from '../../actions/labels.tsx';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may, ownerOf, useSession } from '../../api/session.ts';
import type { FormDefinition } from '../../form/definition.ts';
import { RecordForm } from '../../form/form.tsx';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link, navigate } from '../../router.tsx';
import { leaveUnfinished } from '../../shell/unfinished.ts';
import { PlainTable } from '../../table/plain-table.tsx';
import { capital } from '../../texts/capital.ts';
import { t } from '../../texts/texts.ts';
import { receiveAgain, receipts } from './service.ts';

const texts = t.orders;
const { heads } = texts;

type Order = Read<'/orders/{id}'>;

function Samples({ order }: { order: Order }): ReactElement {
    return (
        <PlainTable label={texts.sheet} none={texts.noSample}
            found={{ data: { data: order.samples }, error: null }} columns={[
                { title: heads.sample, className: 'w-ident', cell: ({ id, trackingId }) =>
                    <Link className="id" href={paths.sample(id)}>{trackingId}</Link> },
                { title: heads.location, className: 'w-name',
                    cell: ({ plantLocation }) => plantLocation },
                { title: heads.externalId, className: 'w-ident',
                    cell: ({ externalId }) => <span className="id">{externalId}</span> },
                { title: heads.status, className: 'w-state', cell: ({ status }) =>
                    capital(t.samples.status[status]) },
                { title: heads.received, className: 'w-when', cell: ({ receivedAt }) =>
                    receivedAt ? <Moment at={receivedAt} /> : '' },
                { title: heads.notes, cell: ({ notes }) => notes },
            ]} />
    );
}

const definition: FormDefinition = {
    list: '/orders',
    one: '/orders/{id}',
    members: { contact: { label: heads.contact }, notes: { label: heads.notes, long: true } },
    create: texts.newOrder,
    change: texts.change,
    created: texts.changed,
    changed: texts.changed,
    name: ({ orderNumber }) => String(orderNumber),
};

const labels = labelAction<Order['samples'][number]>('sample', ({ trackingId }) => trackingId);

// Offers the actions on an order: receiving its waiting samples by their labels, printing these,
// changing its contact, ordering the same again.
function useOrderActions({ id, orderNumber, samples }: Order, waiting: number): Ready[] {
    const actions = useMemo<Ready[]>(() => [
        ...waiting > 0 && may('sample.receive') ? [{ id: 'order.receive', keys: 'r', step: true,
            title: texts.receive(waiting), refused: undefined,
            run: () => navigate(paths.receive(id)) }] : [],
        ...samples.length > 0 ? [ready(labels, samples)] : [],
        ...may('sample.edit') ? [{ id: 'order.change', title: texts.change(orderNumber), keys: 'e',
            refused: undefined, run: () => navigate(paths.order(id, 'change')) }] : [],
        ...may('sample.register') ? [{ id: 'order.like', title: texts.like, keys: undefined,
            refused: undefined, run: () => navigate(paths.newOrder(id)) }] : [],
    ], [id, orderNumber, samples, waiting]);

    useActions(actions);
    return actions;
}

function Head({ order }: { order: Order }): ReactElement {
    const waiting = order.samples.filter(({ status, disposition }) =>
        status === 'pending' && disposition === 'active').length;
    const here = order.samples.filter(({ receivedAt }) => receivedAt !== null).length;
    const actions = useOrderActions(order, waiting);
    const { prints } = useSession();
    return (
        <div className="head">
            <h1 className="id">{order.orderNumber}</h1>
            <span className="quiet cut">
                {[order.samples[0]?.clientName, order.contact,
                    texts.received(here, order.samples.length)].filter(Boolean).join(', ')}
            </span>
            <span className="push" />
            <ActBar actions={actions} />
            {prints && order.samples.some(({ status }) => status === 'reported') ? (
                <a className="btn" target="_blank" rel="noopener"
                    href={paths.download(`/orders/${order.id}/certificates.pdf`)}>
                    {t.release.certificates.document.order}
                </a>
            ) : null}
        </div>
    );
}

// The receipt of an order that was registered here and could not be received.
function FailedReceipt({ order: { id, orderNumber } }: { order: Order }): ReactElement | null {
    const owner = ownerOf();
    const kept = useStore(receipts.kept)
        .find((one) => one.orderId === id && one.owner === owner);
    const [busy, setBusy] = useState(false);

    // Whoever leaves the page before the receipt is made finds a link to it in the top bar.
    useEffect(() => {
        leaveUnfinished(owner, paths.order(id), null);
        return () => leaveUnfinished(owner, paths.order(id),
            receipts.kept.get().some(({ orderId }) => orderId === id)
                ? texts.unreceivedOf(orderNumber) : null);
    }, [owner, id, orderNumber]);
    if (!kept) {
        return null;
    }
    const count = kept.receipt.items?.length ?? 0;
    const again = (): void => {
        setBusy(true);
        void receiveAgain(kept).catch(tell).finally(() => setBusy(false));
    };
    return (
        <div className="banner late" role="alert">
            <Glyph name="attention" tone="attention" />
            <span>{texts.unreceived(count, kept.why)}</span>
            <Button kind="row" refused={busy ? texts.busy : undefined} onPress={again}>
                {texts.receiveAgain(count)}
            </Button>
            <Button kind="row plain" onPress={() => receipts.drop(id)}>{texts.giveUp}</Button>
        </div>
    );
}

function Opened({ order, tab }: { order: Order; tab: string }): ReactElement {
    const { id, orderNumber } = order;
    const tabs = [{ id: '', title: texts.samples },
        ...useRecordTabs({ table: 'sample_order', id, history: '/orders/{id}/history' })];
    const at = tab === 'change' ? '' : tab;
    return (
        <>
            <Head order={order} />
            <FailedReceipt order={order} />
            {order.notes ? <p className="filters">{order.notes}</p> : null}
            <TabBar label={orderNumber} tabs={tabs} at={at} href={(one) => paths.order(id, one)} />
            <TabPane tabs={tabs} at={at} />
            {at === '' ? (
                <div className="body">
                    <div className="pane" tabIndex={0}><Samples order={order} /></div>
                </div>
            ) : null}
            {tab === 'change' ? (
                <RecordForm definition={definition} id={id}
                    close={() => navigate(paths.order(id))} />
            ) : null}
        </>
    );
}

export function OrderRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/orders/{id}', { params: { path: { id } } }, { live: 15 });
    const order = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${order?.orderNumber ?? texts.title} · ${organization.name}`;
    }, [order?.orderNumber, organization.name]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            {order ? <Opened order={order} tab={tab} />
                : <div className="head"><h1>{texts.title}</h1></div>}
            {!order && found.error ? (
                <NotShown problem={found.error} list={paths.orders()} title={texts.title} />
            ) : null}
            {!order && !found.error ? <Waiting what={texts.title} /> : null}
        </main>
    );
}

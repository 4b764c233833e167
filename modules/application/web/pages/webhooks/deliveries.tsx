// SPDX-License-Identifier: Apache-2.0
//
// Deliveries: what was sent to whom, what came back, and the timeline of the attempts.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { deliveryActions } from '../../actions/webhooks.ts';
import type { Delivery } from '../../actions/webhooks.ts';
import { useRead } from '../../api/read.ts';
import { useRecordNames } from '../../api/records.ts';
import { SidePanel } from '../../parts/dialog.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { Csv } from '../../table/csv.tsx';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { WebhookTabs } from './tabs.tsx';

const words = t.webhooks.deliveries;
const { columns: titles } = words;
const empty: Delivery[] = [];

const look: Record<Delivery['state'], Extract<Tone, GlyphName>> = {
    pending: 'progress', delivered: 'ready', given_up: 'blocked',
};

const lastOf = ({ lastStatus, lastError }: Delivery): string =>
    lastStatus === null ? lastError ?? '' : String(lastStatus);

function columnsOf(endpoint: (id: unknown) => string): Column<Delivery>[] {
    return [
        { key: 'event', title: titles.event, className: 'w-long', heads: true, cell: ({ type }) => type },
        { key: 'endpoint', title: titles.endpoint, cell: ({ endpointId }) => endpoint(endpointId) },
        { key: 'state', title: titles.state, className: 'w-state', cell: ({ state }) => (
            <Status glyph={look[state]} tone={look[state]}>{words.state[state]}</Status>
        ) },
        { key: 'attempts', title: titles.attempts, className: 'w-short right p3',
            cell: ({ attemptCount }) => attemptCount },
        { key: 'last', title: titles.last, className: 'w-long p2', hint: lastOf, cell: lastOf },
        { key: 'created', title: titles.created, className: 'w-when',
            cell: ({ createdAt }) => <Moment at={createdAt} /> },
        { key: 'next', title: titles.next, className: 'w-when p4',
            cell: ({ nextAttemptAt }) => nextAttemptAt ? <Moment at={nextAttemptAt} /> : null },
    ];
}

function Attempts({ id }: { id: number }): ReactElement {
    const found = useRead('/webhook-deliveries/{id}', { params: { path: { id } } }, { live: 5 });
    const { attempt } = words;
    const attempts = found.data?.attempts.map((one) => ({ ...one, id: one.number }));
    return (
        <PlainTable label={titles.attempts} none={words.noAttempts}
            found={{ data: attempts && { data: attempts }, error: found.error }} columns={[
                { title: attempt.number, className: 'w-no', cell: (one) => one.number },
                { title: attempt.at, className: 'w-when', cell: (one) => <Moment at={one.startedAt} /> },
                { title: attempt.took, className: 'w-short right',
                    cell: (one) => words.milliseconds(one.durationMs) },
                { title: attempt.answer, className: 'wrap', cell: (one) => [one.responseStatus,
                    one.error, one.responseExcerpt].filter(Boolean).join(' ') },
            ]} />
    );
}

function Panel({ id, close }: { id: number; close: () => void }): ReactElement {
    const found = useRead('/webhook-deliveries/{id}', { params: { path: { id } } }, { live: 5 });
    return (
        <SidePanel title={words.title(found.data?.type ?? '')} close={close} className="dialog form">
            <div className="fields">
                <dl className="stack">
                    <dt>{words.id}</dt><dd className="id">{found.data?.deliveryId}</dd>
                </dl>
                <p>
                    <a href={paths.download(`/webhook-deliveries/${id}/body`)} download>
                        {words.body}
                    </a>
                </p>
                <Attempts id={id} />
            </div>
        </SidePanel>
    );
}

export function Deliveries({ id }: { id: number | null }): ReactElement {
    const { shown, page } = useShown('state');
    const { search, searchParams } = useAddress();
    const endpoint = useRecordNames('/webhook-endpoints');
    const endpointId = Number(searchParams.get('endpointId'));
    const found = useRead('/webhook-deliveries', { params: { query: {
        ...(shown ? { state: shown as Delivery['state'] } : {}),
        ...(endpointId ? { endpointId } : {}), order: '-id', limit: 100, ...page,
    } } }, { live: 10 });
    const columns = useMemo(() => columnsOf(endpoint), [endpoint]);
    const known = [{ name: 'endpointId', title: words.endpoint, linked: true, shown: endpoint }];

    return (
        <ListPage<Delivery> title={t.webhooks.title} label={words.label} none={words.none}
            noneWhat={words.noneWhat}
            begin={<Link href={paths.webhooks()}>{t.webhooks.toEndpoints}</Link>} columns={columns} found={found}
            rows={found.data?.data ?? empty} filtered={shown !== '' || endpointId > 0} list="/webhook-deliveries"
            nameOf={({ type }) => type} actions={deliveryActions}
            addressOf={(one) => paths.deliveries(search, one.id)}
            filters={<>
                <WebhookTabs shown="deliveries" />
                <Choose member="state" label={t.webhooks.show} values={[
                    { value: '', title: words.shown.all },
                    ...(['pending', 'delivered', 'given_up'] as const).map((value) => ({
                        value, title: words.shown[value] })),
                ]}>
                    <span className="push" />
                    <Csv list="/webhook-deliveries" filters={{ ...shown ? { state: shown } : {},
                        ...endpointId ? { endpointId: String(endpointId) } : {} }} />
                </Choose>
                {endpointId ? <FilterBar known={known} /> : null}
            </>}>
            {id === null ? null
                : <Panel id={id} close={() => navigate(paths.deliveries(search))} />}
        </ListPage>
    );
}

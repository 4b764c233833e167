// SPDX-License-Identifier: Apache-2.0
//
// Webhook endpoints (S22): whether they work, why one does not, and how its secret changes.
import type { ReactElement } from 'react';

import { showSecret, webhookActions, webhooksChanged } from '../../actions/webhooks.ts';
import type { Endpoint } from '../../actions/webhooks.ts';
import { useRead } from '../../api/read.ts';
import { RecordForm } from '../../form/form.tsx';
import { Secret } from '../../form/secret.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { Csv } from '../../table/csv.tsx';
import type { Filters } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { span } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { formOf } from './forms.ts';
import { Recoveries } from './recoveries.tsx';
import { SignaturePanel } from './signature-panel.tsx';
import { WebhookTabs } from './tabs.tsx';

const words = t.webhooks;
const { columns: titles } = words;
const empty: Endpoint[] = [];

function Health({ of }: { of: Endpoint }): ReactElement {
    if (!of.enabled) {
        return (
            <Status glyph="blocked" tone="blocked">
                {words.disabled}{of.disabledReason ? `: ${of.disabledReason}` : ''}
            </Status>
        );
    }
    return of.consecutiveFailures
        ? <Status glyph="attention" tone="attention">{words.failing(of.consecutiveFailures)}</Status>
        : <Status glyph="ready" tone="ready">{words.enabled}</Status>;
}

// Time for which the former secret still signs beside the new one.
function Former({ until }: { until: string | null }): ReactElement | null {
    const left = until ? Date.parse(until) - Date.now() : 0;
    return left > 0 ? <Status glyph="clock" tone="expiring">{words.formerSecret(span(left))}</Status>
        : null;
}

const columns: Column<Endpoint>[] = [
    { key: 'name', title: titles.name, className: 'w-long', heads: true, cell: ({ name }) => name },
    { key: 'url', title: titles.url, cell: ({ url }) => url, hint: ({ url }) => url },
    { key: 'events', title: titles.events, className: 'w-due p3',
        hint: ({ events }) => events.join(', '), cell: ({ events }) => words.events(events.length) },
    { key: 'health', title: titles.health, className: 'w-ident',
        hint: ({ disabledReason }) => disabledReason ?? undefined,
        cell: (endpoint) => <Health of={endpoint} /> },
    { key: 'secret', title: titles.secret, className: 'w-ident p4',
        cell: ({ previousSecretUntil }) => <Former until={previousSecretUntil} /> },
];

const dayAgo = (): string => new Date(Math.floor(Date.now() / 3600_000) * 3600_000 - 86_400_000)
    .toISOString();

// Counts of the deliveries of the last 24 hours, by state.
function Day({ id }: { id: number }): ReactElement {
    const found = useRead('/webhook-deliveries', { params: { query: {
        endpointId: id, since: dayAgo(), limit: 500,
    } } });
    const all = found.data?.data ?? [];
    return (
        <section className="section" aria-labelledby="day">
            <h3 id="day">{words.day}</h3>
            <dl className="pairs">
                {(['delivered', 'pending', 'given_up'] as const).map((state) => (
                    <div key={state}>
                        <dt>{words.deliveries.state[state]}</dt>
                        <dd>{all.filter((one) => one.state === state).length}
                            {found.data?.hasMore ? '+' : ''}</dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}

const asked: Record<string, Filters> = { '': {}, yes: { enabled: 'true' }, no: { enabled: 'false' } };

export function Endpoints({ record, act }: { record: string; act: string | undefined }): ReactElement {
    const { shown, page } = useShown('enabled');
    const { search } = useAddress();
    const found = useRead('/webhook-endpoints', { params: { query: {
        ...asked[shown], deleted: false, order: '-id', limit: 100, ...page,
    } } }, { live: 15 });
    const close = (): void => navigate(paths.webhooks() + search);
    const { definition, note } = formOf(act);
    const saved = (answer: Record<string, unknown>): void => {
        close();
        showSecret(String(answer['name']), answer['secret']);
        void webhooksChanged();
    };

    return (
        <ListPage<Endpoint> title={words.title} label={words.label} none={words.none}
            noneWhat={words.noneWhat} columns={columns} found={found}
            rows={found.data?.data ?? empty} filtered={shown !== ''} list="/webhook-endpoints" nameOf={({ name }) => name}
            actions={webhookActions} addressOf={({ id }) => paths.webhooks(id) + search}
            filters={<>
                <WebhookTabs shown="endpoints" />
                <Choose member="enabled" label={words.show} values={[
                    { value: '', title: words.shown.all }, { value: 'yes', title: words.shown.enabled },
                    { value: 'no', title: words.shown.disabled },
                ]}>
                    <span className="push" />
                    <Csv list="/webhook-endpoints" filters={{ ...asked[shown], deleted: 'false' }} />
                </Choose>
            </>}>
            {record === 'signature' ? <SignaturePanel close={close} /> : null}
            {record && record !== 'signature' ? (
                <RecordForm key={`${record}/${act ?? ''}`} definition={definition} note={note}
                    id={record === 'new' ? null : Number(record)} close={close} saved={saved}>
                    {({ id, enabled }) => typeof id === 'number' ? (
                        <>
                            <Day id={id} />
                            <Recoveries endpointId={id} enabled={enabled === true} />
                        </>
                    ) : null}
                </RecordForm>
            ) : null}
            <Secret />
        </ListPage>
    );
}

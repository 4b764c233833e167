// SPDX-License-Identifier: Apache-2.0
//
// The list of samples: find, sort and act on them (S1).
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../actions/act-bar.tsx';
import { allowed, useActions } from '../../actions/action.ts';
import { sampleActions } from '../../actions/samples.ts';
import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate, remember, remembered, useAddress } from '../../router.tsx';
import { ListTable } from '../../table/list-table.tsx';
import { clock } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { columnsOf } from './columns.tsx';
import type { Sample } from './columns.tsx';
import { Filters, States, Views, show } from './filters.tsx';
import { useNames } from '../../api/names.ts';
import { Peek } from './peek.tsx';
import { searchOf, viewOf } from './query.ts';
import type { View } from './query.ts';

interface Place {
    cursor: number | null;
    selected: number[];
    peek: boolean;
}

function placeBefore(): Place {
    const state = remembered();
    const known = typeof state === 'object' && state !== null && 'selected' in state
        && Array.isArray(state.selected) && 'cursor' in state && 'peek' in state;
    return known ? state as Place : { cursor: null, selected: [], peek: false };
}

const empty: Sample[] = [];

function Empty({ view }: { view: View }): ReactElement {
    const filters = Object.keys(view.filters).length;
    return filters ? (
        <Nothing title={t.samples.filteredNone}>
            <p><Button onPress={() => show({})}>{t.filters.clear(filters)}</Button></p>
        </Nothing>
    ) : <Nothing title={t.samples.none}><p className="quiet">{t.samples.noneWhat}</p></Nothing>;
}

function Foot({ selected, clear, at, page, view }: {
    selected: number; clear: () => void; at: number;
    page: { nextCursor: number; hasMore: boolean } | undefined; view: View;
}): ReactElement {
    const { organization } = useSession();
    return (
        <div className="statusline">
            {selected ? (
                <>
                    <span role="status"><strong>{t.table.selected(selected)}</strong></span>
                    <Button kind="row plain" keys="Esc" onPress={clear}>{t.table.clear}</Button>
                </>
            ) : null}
            <span className="push" />
            {view.cursor ? (
                <Button kind="row plain" onPress={() => show(view.filters)}>{t.table.first}</Button>
            ) : null}
            {page?.hasMore ? (
                <Button kind="row plain" onPress={() => navigate(paths.samples(
                    searchOf({ ...view, cursor: String(page.nextCursor) })))}>
                    {t.table.next}
                </Button>
            ) : null}
            <span className="quiet nowrap">
                {t.table.upToDate} {at ? clock(new Date(at), organization.timeZone) : ''}
            </span>
        </div>
    );
}

export function SampleList(): ReactElement {
    const { searchParams } = useAddress();
    const search = searchParams.toString();
    const view = useMemo(() => viewOf(new URLSearchParams(search)), [search]);
    const names = useNames();
    const { organization } = useSession();
    const [place, setPlace] = useState(placeBefore);
    const list = useRead('/samples', { params: { query: {
        ...view.filters, order: '-id', limit: 50, include: 'progress',
        ...(view.cursor ? { cursor: Number(view.cursor) } : {}),
    } } }, { live: 15 });
    const rows = list.data?.data ?? empty;
    const selected = useMemo(() => new Set(place.selected), [place.selected]);
    const cursor = rows.some(({ id }) => id === place.cursor) ? place.cursor : rows[0]?.id ?? null;
    const chosen = useMemo(() => {
        const some = rows.filter(({ id }) => selected.has(id));
        return some.length ? some : rows.filter(({ id }) => id === cursor);
    }, [rows, selected, cursor]);
    const actions = useMemo(() => allowed(sampleActions, chosen), [chosen]);
    const columns = useMemo(() => columnsOf(names), [names]);
    const change = useCallback((next: Partial<Place>) => setPlace((now) => ({ ...now, ...next })), []);
    const peeked = place.peek ? rows.find(({ id }) => id === cursor) : undefined;
    const escape = useCallback(() => setPlace((now) => now.peek
        ? { ...now, peek: false } : { ...now, selected: [] }), []);

    useActions(actions);
    useEffect(() => remember(place), [place]);
    useEffect(() => {
        const blocked = rows.filter(({ releaseState }) => releaseState === 'blocked').length;
        document.title = `${t.samples.tabTitle(blocked)} · ${organization.name}`;
    }, [rows, organization.name]);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{t.samples.title}</h1><Views />
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            <div className="filters"><States filters={view.filters} /></div>
            <Filters filters={view.filters} names={names} />
            <div className="body">
                <div className="pane">
                    {rows.length ? (
                        <ListTable<Sample> label={t.samples.list} columns={columns} rows={rows}
                            nameOf={({ trackingId }) => trackingId} cursor={cursor}
                            selected={selected} stale={list.isPlaceholderData}
                            move={(id) => change({ cursor: id })}
                            select={(ids) => change({ selected: [...ids] })}
                            open={({ id }) => navigate(paths.sample(id))}
                            peek={() => change({ peek: !place.peek })} escape={escape} />
                    ) : null}
                    {!list.data && list.error ? <Refused problem={list.error}
                        retry={() => void list.refetch()} /> : null}
                    {!list.data && !list.error ? <Waiting what={t.samples.title} /> : null}
                    {list.data && rows.length === 0 ? <Empty view={view} /> : null}
                </div>
                {peeked ? <Peek sample={peeked} names={names}
                    close={() => change({ peek: false })} /> : null}
            </div>
            <Foot selected={selected.size} clear={() => change({ selected: [] })} view={view}
                at={list.dataUpdatedAt} page={list.data} />
        </main>
    );
}

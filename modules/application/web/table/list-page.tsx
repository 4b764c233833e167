// SPDX-License-Identifier: Apache-2.0
//
// A page that is a list: title and acts, filters, rows with a cursor and a selection, a look
// beside them, the way to older rows. Where the list was left is found again by Back.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { ActBar } from '../acting/act-bar.tsx';
import { allowed, useActions } from '../acting/action.ts';
import type { Action, Ready } from '../acting/action.ts';
import type { Problem } from '../api/problem.ts';
import type { ReadPath } from '../api/read.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import type { Dropping } from '../parts/drop-files.tsx';
import { Nothing, Refused, Waiting } from '../parts/states.tsx';
import { navigate, remember, remembered, useAddress } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { clock } from '../texts/time.ts';
import { useCursor } from './cursor.ts';
import { ListTable } from './list-table.tsx';
import type { Column } from './list-table.tsx';
import { RowPeek } from './peek.tsx';
import { useTotal } from './total.ts';

interface Found<Row> {
    data: { data: Row[]; nextCursor: number | string; hasMore: boolean } | undefined;
    error: Problem | null;
    isPlaceholderData: boolean;
    dataUpdatedAt: number;
    refetch: () => unknown;
}

interface Properties<Row> {
    title: string;
    // Title of the browser's tab, where it says more than the title of the page.
    tabTitle?: string;
    label: string;
    columns: Column<Row>[];
    found: Found<unknown>;
    // Rows to show, where they differ from those that were read.
    rows: Row[];
    nameOf: (row: Row) => string;
    // Address that Enter opens; absent: Enter opens the panel beside the list.
    addressOf?: (row: Row) => string | undefined;
    // Acts on what is selected, else on the cursor's row; without them nothing is selected.
    actions?: Action<Row[]>[];
    // The look beside the list, where it is another than all columns of the row.
    peek?: (row: Row, close: () => void) => ReactElement;
    // Text where there is no row at all; a filtered list has another.
    none: string;
    noneWhat?: string;
    // Button or link that leads to a first row, where it is none of the actions.
    begin?: ReactNode;
    filtered: boolean;
    // The list in the API, of which it is said how many there are without the filters; `total`:
    // what is said, where it is known.
    list?: ReadPath;
    total?: string | undefined;
    // A place to drop files on.
    drop?: Dropping | undefined;
    head?: ReactNode;
    filters?: ReactNode;
    foot?: ReactNode;
    // Panel over the list, such as a form.
    children?: ReactNode;
}

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

function None({ none, noneWhat, children }: {
    none: string; noneWhat: string | undefined; children: ReactNode;
}): ReactElement {
    return (
        <Nothing title={none}>
            {noneWhat ? <p className="quiet">{noneWhat}</p> : null}
            {children ? <p>{children}</p> : null}
        </Nothing>
    );
}

// Nothing passes the filters.
function NoneLeft({ total }: { total: string | undefined }): ReactElement {
    const { pathname } = useAddress();
    return (
        <Nothing title={total === undefined ? t.filters.none : t.filters.noneOf(total)}>
            <p><Button onPress={() => navigate(pathname)}>{t.filters.clearAll}</Button></p>
        </Nothing>
    );
}

const NoneLeftOf = ({ list }: { list: ReadPath }): ReactElement =>
    <NoneLeft total={useTotal(list)} />;

function Empty<Row>({ page, actions }: { page: Properties<Row>; actions: Ready[] }): ReactElement {
    if (page.filtered) {
        return page.list ? <NoneLeftOf list={page.list} /> : <NoneLeft total={page.total} />;
    }
    return (
        <None none={page.none} noneWhat={page.noneWhat}>
            {page.begin ?? <Begin actions={actions} />}
        </None>
    );
}

// The act that makes a first row.
export function Begin({ actions }: { actions: Ready[] }): ReactElement | null {
    const first = actions.find(({ refused }) => refused === undefined);
    return first ? <Button keys={first.keys} onPress={first.run}>{first.title}</Button> : null;
}

// How many are selected, of which those that are shown are acted on.
export function Selected({ shown, clear }: { shown: number; clear: () => void }): ReactElement {
    return (
        <>
            <span role="status"><strong>
                {shown ? t.table.selected(shown) : t.table.selectedElsewhere}
            </strong></span>
            <Button kind="row plain" keys="Esc" onPress={clear}>{t.table.clear}</Button>
        </>
    );
}

function Foot({ found, children }: {
    found: Found<unknown>; children: ReactNode;
}): ReactElement {
    const { organization } = useSession();
    const { pathname, searchParams } = useAddress();
    const at = found.dataUpdatedAt;
    const go = (cursor: string | null): void => {
        const next = new URLSearchParams(searchParams);
        next.delete('cursor');
        if (cursor) {
            next.set('cursor', cursor);
        }
        navigate(next.size ? `${pathname}?${next}` : pathname);
    };
    return (
        <div className="statusline">
            {children}
            <span className="push" />
            {searchParams.has('cursor') ? (
                <Button kind="row plain" onPress={() => go(null)}>{t.table.first}</Button>
            ) : null}
            {found.data?.hasMore ? (
                <Button kind="row plain" onPress={() => go(String(found.data?.nextCursor))}>
                    {t.table.next}
                </Button>
            ) : null}
            {at ? (
                <span className="quiet nowrap">
                    {t.table.upToDate} {clock(new Date(at), organization.timeZone)}
                </span>
            ) : null}
        </div>
    );
}

// The list's cursor, selection and look beside it, kept with the address. Acts are about the selected
// rows, where something is selected, else about the cursor's row.
export function usePlace<Row extends { id: number }>(rows: Row[], view: string): {
    place: Place; cursor: number | null; selected: ReadonlySet<number>; chosen: Row[];
    change: (next: Partial<Place>) => void; escape: () => void; acted: (ids: number[]) => void;
} {
    const [place, setPlace] = useState(placeBefore);
    const { id: cursor, isMeant, acted } = useCursor(rows, place.cursor, view);
    const selected = useMemo(() => new Set(rows.map(({ id }) => id)
        .filter((id) => place.selected.includes(id))), [rows, place.selected]);
    const chosen = useMemo(() => place.selected.length ? rows.filter(({ id }) => selected.has(id))
        : rows.filter(({ id }) => isMeant && id === cursor),
    [rows, place.selected, selected, isMeant, cursor]);
    const change = useCallback((next: Partial<Place>) =>
        setPlace((now) => ({ ...now, ...next })), []);
    const escape = useCallback(() => setPlace((now) => now.peek
        ? { ...now, peek: false } : { ...now, selected: [] }), []);

    useEffect(() => remember(place), [place]);
    return { place, cursor, selected, chosen, change, escape, acted };
}

// Returns the actions on rows. Where one makes them leave the list, the next row is meant.
export function useActs<Row extends { id: number }>(
    list: Action<Row[]>[], rows: Row[], acted: (ids: number[]) => void,
): Ready[] {
    return useMemo(() => allowed(list, rows).map((action) => ({ ...action, run: () => {
        acted(rows.map(({ id }) => id));
        action.run();
    } })), [list, rows]);
}

// Returns the filters of the list that is shown: while another is on its way, the one before is.
function useView({ isPlaceholderData }: Found<unknown>): string {
    const { search } = useAddress();
    const shown = useRef(search);
    if (!isPlaceholderData) {
        shown.current = search;
    }
    return shown.current;
}

const noActions: never[] = [];

export function ListPage<Row extends { id: number }>(page: Properties<Row>): ReactElement {
    const { found, rows, addressOf, columns, nameOf, drop } = page;
    const { organization } = useSession();
    const title = page.tabTitle ?? page.title;
    const { place, cursor, selected, chosen, change, escape, acted } = usePlace(rows, useView(found));
    const list = page.actions ?? noActions as Action<Row[]>[];
    const actions = useActs(list, chosen, acted);
    const peeked = place.peek ? rows.find(({ id }) => id === cursor) : undefined;
    const closePeek = (): void => change({ peek: false });
    const open = (row: Row): void => {
        const address = addressOf?.(row);
        if (address) {
            navigate(address);
        } else {
            change({ peek: true });
        }
    };

    useActions(actions);
    useEffect(() => {
        document.title = `${title} · ${organization.name}`;
    }, [title, organization.name]);
    return (
        <main className={drop?.over ? 'page over' : 'page'} id="main" {...drop?.handlers}>
            <div className="head">
                <h1>{page.title}</h1>
                {page.head}
                {actions.length ? <><span className="push" /><ActBar actions={actions} /></> : null}
            </div>
            {page.filters}
            <div className="body">
                <div className="pane">
                    {rows.length ? (
                        <ListTable<Row> label={page.label} columns={columns} rows={rows}
                            nameOf={nameOf} cursor={cursor} selected={selected}
                            stale={found.isPlaceholderData}
                            move={(id) => change({ cursor: id })}
                            select={page.actions ? (ids) => change({ selected: [...ids] })
                                : undefined}
                            open={open} peek={() => change({ peek: !place.peek })}
                            escape={escape} />
                    ) : null}
                    {!found.data && found.error ? <Refused problem={found.error}
                        retry={() => void found.refetch()} /> : null}
                    {!found.data && !found.error ? <Waiting what={page.title} /> : null}
                    {found.data && rows.length === 0
                        ? <Empty<Row> page={page} actions={actions} /> : null}
                </div>
                {peeked ? page.peek?.(peeked, closePeek) ?? (
                    <RowPeek<Row> row={peeked} name={nameOf(peeked)} columns={columns}
                        href={addressOf?.(peeked)} close={closePeek} />
                ) : null}
            </div>
            <Foot found={found}>
                {place.selected.length ? <Selected shown={selected.size}
                    clear={() => change({ selected: [] })} /> : page.foot}
            </Foot>
            {page.children}
        </main>
    );
}

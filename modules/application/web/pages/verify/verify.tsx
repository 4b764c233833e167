// SPDX-License-Identifier: Apache-2.0
//
// The second pair of eyes (S11): results by run, what needs a look open, the rest one line;
// all that are ticked are verified by one signature.
import { useCallback, useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { rowsOf } from '../../api/names.ts';
import type { Definition } from '../../api/names.ts';
import { useRead, useWhole } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { useKept } from '../../kept.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { askedOf, filtersIn } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';
import { clock } from '../../texts/time.ts';
import { useClosingAsked } from '../../unsaved.ts';
import { queueActions } from './actions.ts';
import type { Queue } from './actions.ts';
import { useQueueFilters } from './filters.ts';
import { isTicked, runsOf } from './queue.ts';
import type { Decided, Line, Run } from './queue.ts';
import { QueueTable } from './table.tsx';

const pageSize = 200;

type MethodOf = (id: number) => string;

// Undefined until the methods are read: runs are told apart by them.
function useMethods(): MethodOf | undefined {
    const { data, error } = useWhole('/test-definitions', rowsOf<Definition>);
    return useMemo(() => {
        const methods = new Map(data?.map(({ id, method }) => [id, method ?? '']));
        return data || error ? (id) => methods.get(id) ?? '' : undefined;
    }, [data, error]);
}

// State of the queue: its rows, the ticked ones, and the cursor.
function useQueue(runs: Run[]): Queue & { move: (id: number) => void } {
    const [decided, setDecided] = useKept<Decided>('verify.decided', new Map());
    const [chosen, setChosen] = useKept<ReadonlyMap<number, string>>('verify.chosen', new Map());
    const [cursor, setCursor] = useKept<number | null>('verify.cursor', null);
    const lines = useMemo(() => runs.flatMap((run) => run.lines), [runs]);
    const at = lines.find(({ test }) => test.id === cursor) ?? lines[0];
    const toggle = useCallback((line: Line): void => setDecided((now) =>
        new Map(now).set(line.test.id, { ticked: !isTicked(line, now),
            seen: line.test.review?.contentHash ?? '' })), [setDecided]);
    const choose = useCallback((some: Line[], reason: string): void => {
        setChosen((now) => new Map([...now, ...some.map(({ test }) => [test.id, reason] as const)]));
        setDecided((now) => new Map([...now, ...some.map(({ test }) => [test.id,
            { ticked: true, seen: test.review?.contentHash ?? '' }] as const)]));
    }, [setChosen, setDecided]);

    return useMemo(() => ({
        lines, at, chosen, toggle, choose, move: setCursor,
        ticked: lines.filter((line) => isTicked(line, decided)),
    }), [lines, at, chosen, decided, toggle, choose, setCursor]);
}

function Foot({ queue, back, at, next }: {
    queue: Queue; back: number; at: number; next: number | undefined;
}): ReactElement {
    const { organization } = useSession();
    const { pathname, searchParams } = useAddress();
    const of = (kind: Line['kind']): number =>
        queue.lines.filter((line) => line.kind === kind).length;
    const go = (cursor?: number): void => {
        const search = new URLSearchParams(searchParams);
        search.delete('cursor');
        if (cursor !== undefined) {
            search.set('cursor', String(cursor));
        }
        navigate(search.size ? `${pathname}?${search}` : pathname);
    };
    return (
        <div className="statusline">
            <span role="status">
                <strong>{t.verify.foot(queue.ticked.length)}</strong>{' '}
                {t.verify.footRest(of('own'), of('stop'), of('look'), back)}
            </span>
            <span className="push" />
            {searchParams.has('cursor')
                ? <Button kind="row plain" onPress={() => go()}>{t.verify.first}</Button> : null}
            {next === undefined ? null
                : <Button kind="row plain" onPress={() => go(next)}>{t.verify.next}</Button>}
            <span className="quiet nowrap">
                {t.table.upToDate} {at ? clock(new Date(at), organization.timeZone) : ''}
            </span>
        </div>
    );
}

type Page = Read<'/sample-tests'>;

function Queued({ page, methodOf, stale, at }: {
    page: Page; methodOf: MethodOf; stale: boolean; at: number;
}): ReactElement {
    const { organization } = useSession();
    const tests = useMemo(() => page.data.filter(({ returned }) => returned === null), [page]);
    const runs = useMemo(() =>
        runsOf(tests, (test) => methodOf(test.testDefinitionId)), [tests, methodOf]);
    const queue = useQueue(runs);
    const actions = useMemo(() => allowed(queueActions, queue), [queue]);

    useActions(actions);
    useClosingAsked(queue.lines.some(({ test }) => queue.chosen.has(test.id)));
    useEffect(() => {
        document.title = `${t.verify.tabTitle(tests.length)} · ${organization.name}`;
    }, [tests.length, organization.name]);
    return (
        <>
            <div className="head">
                <h1>{t.verify.title}</h1>
                <Views page="verify" path={paths.verify()} />
                <span className="quiet">{t.verify.sum(tests.length, runs.length)}</span>
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            <Filters />
            <div className="body">
                <div className="pane">
                    {tests.length ? (
                        <QueueTable runs={runs} queue={queue} stale={stale} move={queue.move} />
                    ) : (
                        <Nothing title={t.verify.none}>
                            <p className="quiet">{t.verify.noneWhat}</p>
                            <p><Link href={paths.worklist()}>{t.goTo(t.bench.worklist.title)}</Link></p>
                        </Nothing>
                    )}
                </div>
            </div>
            <Foot queue={queue} back={page.data.length - tests.length} at={at}
                next={page.hasMore ? page.nextCursor : undefined} />
        </>
    );
}

function Filters(): ReactElement {
    return <FilterBar known={useQueueFilters()} views="verify" csv="/sample-tests"
        asked={(filters) => ({ ...filters, status: 'entered' })} />;
}

export function VerifyPage(): ReactElement {
    const { searchParams } = useAddress();
    const { organization: { timeZone } } = useSession();
    const known = useQueueFilters();
    const filters = askedOf(filtersIn(searchParams, known), known, timeZone);
    const methodOf = useMethods();
    const cursor = Number(searchParams.get('cursor') ?? 0);
    const found = useRead('/sample-tests', { params: { query: {
        ...filters, ...(cursor ? { cursor } : {}),
        status: ['entered'], include: 'review', limit: pageSize,
    } } }, { live: 15 });

    return (
        <main className="page" id="main" tabIndex={-1}>
            {found.data && methodOf ? (
                <Queued page={found.data} methodOf={methodOf} stale={found.isPlaceholderData}
                    at={found.dataUpdatedAt} />
            ) : (
                <>
                    <div className="head"><h1>{t.verify.title}</h1></div>
                    <Filters />
                    {found.error ? <Refused problem={found.error} /> : <Waiting what={t.verify.title} />}
                </>
            )}
        </main>
    );
}

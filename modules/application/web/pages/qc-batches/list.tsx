// SPDX-License-Identifier: Apache-2.0
//
// The list of QC batches, and new ones of templates by one click (S8).
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { allowed, useActions } from '../../actions/action.ts';
import { makeActions } from '../../actions/qc-batches.ts';
import { rowsOf, useInstruments, usePeople } from '../../api/names.ts';
import { useAll, useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { MenuButton } from '../../parts/menu.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { ListTable } from '../../table/list-table.tsx';
import type { Column } from '../../table/list-table.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { BatchStatus, glyphOf } from './status.tsx';
import type { Listed, State } from './status.tsx';

const texts = t.batches;
const { columns: words } = texts;
const states: State[] = ['open', 'failed', 'passed', 'overridden'];

interface Names {
    instrument: (id: number | null) => string;
    person: (id: number | null) => string;
}

const columnsOf = ({ instrument, person }: Names): Column<Listed>[] => [
    { key: 'number', title: words.number, className: 'w-id stay', heads: true, sorted: true,
        cell: ({ batchNumber }) => batchNumber },
    { key: 'method', title: words.method, className: 'w-state', cell: ({ method }) => method },
    { key: 'date', title: words.date, className: 'w-name',
        cell: ({ analysisDate }) => analysisDate ? dayOf(analysisDate) : null },
    { key: 'instrument', title: words.instrument, className: 'w-due p3',
        cell: ({ instrumentId }) => instrument(instrumentId) },
    { key: 'status', title: words.status, className: 'w-long',
        cell: (batch) => <BatchStatus batch={batch} /> },
    { key: 'tests', title: words.tests, className: 'w-code right',
        cell: ({ sampleTestIds }) => sampleTestIds.length },
    { key: 'evaluated', title: words.evaluated, className: 'w-when roomy',
        cell: ({ evaluatedAt }) => evaluatedAt ? <Moment at={evaluatedAt} /> : null },
    { key: 'by', title: words.by, className: 'w-name p4',
        cell: ({ evaluatedBy, createdBy }) => person(evaluatedBy ?? createdBy) },
    { key: 'notes', title: words.notes, cell: ({ notes, overrideReason }) =>
        overrideReason ?? notes, hint: ({ notes, overrideReason }) =>
        overrideReason ?? notes ?? undefined },
];

function States({ chosen }: { chosen: State | null }): ReactElement {
    return (
        <div className="states" role="group" aria-label={texts.states}>
            <button type="button" aria-pressed={chosen === null}
                onClick={() => navigate(paths.qcBatches())}>{texts.all}</button>
            {states.map((state) => (
                <button key={state} type="button" aria-pressed={chosen === state}
                    onClick={() => navigate(paths.qcBatches(`?status=${state}`))}>
                    <Glyph name={glyphOf[state]} tone={glyphOf[state]} />{texts.status[state]}
                </button>
            ))}
        </div>
    );
}

function Foot({ page, status, cursor }: {
    page: Read<'/qc-batches'> | undefined; status: State | null; cursor: string | null;
}): ReactElement {
    const turn = (to?: number): void => {
        const search = new URLSearchParams({ ...(status ? { status } : {}),
            ...(to === undefined ? {} : { cursor: String(to) }) }).toString();
        navigate(paths.qcBatches(search ? `?${search}` : ''));
    };
    return (
        <div className="statusline">
            <span className="push" />
            {cursor ? <Button kind="row plain" onPress={() => turn()}>{t.table.first}</Button> : null}
            {page?.hasMore ? (
                <Button kind="row plain" onPress={() => turn(page.nextCursor)}>{t.table.next}</Button>
            ) : null}
        </div>
    );
}

function Empty({ filtered }: { filtered: boolean }): ReactElement {
    return filtered ? (
        <Nothing title={texts.filteredNone}>
            <p><Button onPress={() => navigate(paths.qcBatches())}>{texts.showAll}</Button></p>
        </Nothing>
    ) : <Nothing title={texts.none}><p className="quiet">{texts.noneWhat}</p></Nothing>;
}

function Make(): ReactElement | null {
    const templates = useAll('/qc-templates', rowsOf);
    const actions = useMemo(() => allowed(makeActions(templates), null), [templates]);

    useActions(actions);
    return actions.length
        ? <MenuButton items={actions} label={texts.make}>{texts.make}</MenuButton> : null;
}

const empty: Listed[] = [];

export function BatchList(): ReactElement {
    const { organization } = useSession();
    const { searchParams } = useAddress();
    const instruments = useInstruments();
    const person = usePeople();
    const status = states.find((one) => one === searchParams.get('status')) ?? null;
    const cursor = searchParams.get('cursor');
    const list = useRead('/qc-batches', { params: { query: { order: '-id', limit: 50,
        ...(status ? { qcStatus: status } : {}), ...(cursor ? { cursor: Number(cursor) } : {}) } } },
    { live: 15 });
    const rows = list.data?.data ?? empty;
    const [chosen, move] = useState<number | null>(null);
    const at = rows.find(({ id }) => id === chosen) ?? rows[0];
    const columns = columnsOf({ person, instrument: (id) => instruments.get(id ?? 0)?.code ?? '' });

    useEffect(() => {
        document.title = `${texts.title} · ${organization.name}`;
    }, [organization.name]);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{texts.title}</h1><span className="push" /><Make />
            </div>
            <div className="filters"><States chosen={status} /></div>
            <div className="body">
                <div className="pane">
                    {rows.length ? (
                        <ListTable<Listed> label={texts.list} columns={columns} rows={rows}
                            nameOf={({ batchNumber }) => batchNumber} cursor={at?.id ?? null}
                            stale={list.isPlaceholderData} move={move} escape={() => move(null)}
                            open={({ id }) => navigate(paths.qcBatch(id))} />
                    ) : null}
                    {!list.data && list.error ? <Refused problem={list.error}
                        retry={() => void list.refetch()} /> : null}
                    {!list.data && !list.error ? <Waiting what={texts.title} /> : null}
                    {list.data && rows.length === 0 ? <Empty filtered={status !== null} /> : null}
                </div>
            </div>
            <Foot page={list.data} status={status} cursor={cursor} />
        </main>
    );
}

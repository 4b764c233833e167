// SPDX-License-Identifier: Apache-2.0
//
// Instrument files (S7): what came, what became of it, what waits for a person. A file that is
// dropped anywhere is tried first.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../actions/act-bar.tsx';
import { allowed, tell, useActions } from '../../actions/action.ts';
import { importFiles, inboxActions } from '../../actions/instrument-files.ts';
import { useInstruments } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ChooseFiles, useDrop } from '../../parts/drop-files.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { ListTable } from '../../table/list-table.tsx';
import type { Column } from '../../table/list-table.tsx';
import { span } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { blocks, countsOf, reasonsOf } from './reasons.ts';

export type Listed = Read<'/instrument-files'>['data'][number];
type State = Listed['status'];

const texts = t.instrumentFiles;
const { columns: words } = texts;
const shownStates: State[] = ['quarantined', 'imported', 'released', 'rejected'];

const glyphs: Record<State, Extract<Tone, GlyphName>> = {
    received: 'progress', imported: 'ready', quarantined: 'attention', rejected: 'blocked',
    released: 'ready',
};

export function FileStatus({ status }: { status: State }): ReactElement {
    return <Status glyph={glyphs[status]} tone={glyphs[status]}>{texts.status[status]}</Status>;
}

const isHeld = ({ status }: Listed): boolean => status === 'quarantined';

const firstReason = (file: Listed): string =>
    reasonsOf(file).find(blocks)?.message ?? file.resolutionReason ?? '';

const columnsOf = (instrument: (id: number | null) => string): Column<Listed>[] => [
    { key: 'received', title: words.received, className: 'w-when', sorted: true,
        cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
    { key: 'file', title: words.file, className: 'w-long', heads: true,
        cell: ({ fileName }) => fileName, hint: ({ fileName }) => fileName },
    { key: 'sender', title: words.sender, className: 'w-who roomy',
        cell: ({ instrumentId, sentBy }) => [instrument(instrumentId), sentBy].filter(Boolean).join(', ') },
    { key: 'profile', title: words.profile, className: 'w-state p4',
        cell: ({ profileCode, profileVersion }) => profileCode
            ? texts.version(profileCode, profileVersion) : texts.noProfile },
    { key: 'status', title: words.status, className: 'w-name',
        cell: ({ status }) => <FileStatus status={status} /> },
    { key: 'rows', title: words.rows, className: 'w-code right',
        cell: (file) => countsOf(file).rows },
    { key: 'written', title: words.written, className: 'w-code right',
        cell: (file) => countsOf(file).written },
    { key: 'age', title: words.age, className: 'w-due p2', cell: (file) => isHeld(file)
        ? span(Date.now() - Date.parse(file.receivedAt)) : null },
    { key: 'reason', title: words.reason, cell: firstReason, hint: firstReason },
];

type Counts = Partial<Record<State, number | string>>;

function States({ chosen }: { chosen: string | null }): ReactElement {
    // The service has them as JSON: a number, or in words that there are more.
    const counts = (useRead('/instrument-files/counts', {}, { live: 15 }).data ?? {}) as Counts;
    const button = (state: State | null, title: string): ReactElement => (
        <button key={title} type="button" aria-pressed={chosen === state}
            onClick={() => navigate(paths.instrumentFiles(state ? `?status=${state}` : ''))}>
            {state ? <Glyph name={glyphs[state]} tone={glyphs[state]} /> : null}{title}
            {state && counts[state] ? <b>{counts[state].toLocaleString()}</b> : null}
        </button>
    );
    return (
        <div className="states" role="group" aria-label={texts.states}>
            {button(null, texts.all)}
            {shownStates.map((state) => button(state, texts.status[state]))}
        </div>
    );
}

function Foot({ page, search }: {
    page: Read<'/instrument-files'> | undefined; search: URLSearchParams;
}): ReactElement {
    const turn = (cursor: number | null): void => {
        const next = new URLSearchParams(search);
        next.delete('cursor');
        if (cursor !== null) {
            next.set('cursor', String(cursor));
        }
        const text = next.toString();
        navigate(paths.instrumentFiles(text ? `?${text}` : ''));
    };
    return (
        <div className="statusline">
            <span className="quiet">{may('file.import') ? texts.drop : ''}</span>
            <span className="push" />
            {search.get('cursor') ? (
                <Button kind="row plain" onPress={() => turn(null)}>{t.table.first}</Button>
            ) : null}
            {page?.hasMore ? (
                <Button kind="row plain" onPress={() => turn(page.nextCursor)}>{t.table.next}</Button>
            ) : null}
        </div>
    );
}

function Empty({ filtered }: { filtered: boolean }): ReactElement {
    return filtered ? (
        <Nothing title={texts.filteredNone}>
            <p><Button onPress={() => navigate(paths.instrumentFiles())}>{texts.showAll}</Button></p>
        </Nothing>
    ) : <Nothing title={texts.none}><p className="quiet">{texts.noneWhat}</p></Nothing>;
}

const empty: Listed[] = [];

export function Inbox(): ReactElement {
    const { organization } = useSession();
    const { searchParams } = useAddress();
    const instruments = useInstruments();
    const status = shownStates.find((one) => one === searchParams.get('status')) ?? null;
    const cursor = searchParams.get('cursor');
    const list = useRead('/instrument-files', { params: { query: { order: '-id', limit: 50,
        ...(status ? { status } : {}), ...(cursor ? { cursor: Number(cursor) } : {}) } } },
    { live: 15 });
    const rows = list.data?.data ?? empty;
    const [chosen, move] = useState<number | null>(null);
    const at = rows.find(({ id }) => id === chosen) ?? rows[0];
    const actions = useMemo(() => allowed(inboxActions, null), []);
    const columns = columnsOf((id) => instruments.get(id ?? 0)?.code ?? '');
    const take = (files: FileList): void => void importFiles([...files]).catch(tell);
    const drop = useDrop(take);

    useActions(actions);
    useEffect(() => {
        const held = rows.filter(isHeld).length;
        document.title = `${held ? `(${held}) ` : ''}${texts.title} · ${organization.name}`;
    }, [rows, organization.name]);
    return (
        <main className={drop.over ? 'page over' : 'page'} id="main"
            {...(may('file.import') ? drop.handlers : {})}>
            <div className="head">
                <h1>{texts.title}</h1>
                <span className="push" />
                {may('file.import') ? <ChooseFiles label={texts.choose} take={take} /> : null}
                <ActBar actions={actions} />
            </div>
            <div className="filters"><States chosen={status} /></div>
            <div className="body">
                <div className="pane">
                    {rows.length ? (
                        <ListTable<Listed> label={texts.list} columns={columns} rows={rows}
                            nameOf={({ fileName }) => fileName} cursor={at?.id ?? null}
                            stale={list.isPlaceholderData} move={move} escape={() => move(null)}
                            open={({ id }) => navigate(paths.instrumentFile(id))} />
                    ) : null}
                    {!list.data && list.error ? <Refused problem={list.error}
                        retry={() => void list.refetch()} /> : null}
                    {!list.data && !list.error ? <Waiting what={texts.title} /> : null}
                    {list.data && rows.length === 0
                        ? <Empty filtered={status !== null} /> : null}
                </div>
            </div>
            <Foot page={list.data} search={searchParams} />
        </main>
    );
}

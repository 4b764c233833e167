// SPDX-License-Identifier: Apache-2.0
//
// Instrument files (S7): what came, what became of it, what waits for a person. A file that is
// dropped anywhere is tried first.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, tell, useActions } from '../../acting/action.ts';
import { importFiles, inboxActions } from '../../actions/instrument-files.ts';
import { useInstruments } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { blocks, countsOf, reasonsOf } from '../../nouns/file-reasons.ts';
import { ChooseFiles, useDrop } from '../../parts/drop-files.tsx';
import type { Dropping } from '../../parts/drop-files.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { inFigures } from '../../texts/figures.ts';
import { t } from '../../texts/texts.ts';
import { span } from '../../texts/time.ts';

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

const shownCount = (count: number | string): string =>
    typeof count === 'number' ? inFigures(count) : count;

function States({ chosen }: { chosen: string | null }): ReactElement {
    // The service has them as JSON: a number, or in words that there are more.
    const counts = (useRead('/instrument-files/counts', {}, { live: 15 }).data ?? {}) as Counts;
    const button = (state: State | null, title: string): ReactElement => (
        <button key={title} type="button" aria-pressed={chosen === state}
            onClick={() => navigate(paths.instrumentFiles(state ? `?status=${state}` : ''))}>
            {state ? <Glyph name={glyphs[state]} tone={glyphs[state]} /> : null}{title}
            {state && counts[state] ? <b>{shownCount(counts[state])}</b> : null}
        </button>
    );
    return (
        <div className="states" role="group" aria-label={texts.states}>
            {button(null, texts.all)}
            {shownStates.map((state) => button(state, texts.status[state]))}
        </div>
    );
}

const empty: Listed[] = [];

// A file is given to the application: chosen here, or dropped anywhere on the page.
function useGiving(): { drop: Dropping | undefined; choose: ReactElement | null } {
    const take = (files: FileList): void => void importFiles([...files]).catch(tell);
    const drop = useDrop(take);
    return may('file.import') ? { drop, choose: <ChooseFiles label={texts.choose} take={take} /> }
        : { drop: undefined, choose: null };
}

export function Inbox(): ReactElement {
    const { searchParams } = useAddress();
    const instruments = useInstruments();
    const { drop, choose } = useGiving();
    const status = shownStates.find((one) => one === searchParams.get('status')) ?? null;
    const cursor = searchParams.get('cursor');
    const list = useRead('/instrument-files', { params: { query: { order: '-id', limit: 50,
        ...(status ? { status } : {}), ...(cursor ? { cursor: Number(cursor) } : {}) } } },
    { live: 15 });
    const rows = list.data?.data ?? empty;
    const held = rows.filter(isHeld).length;
    const actions = useMemo(() => allowed(inboxActions, null), []);
    const columns = useMemo(() => columnsOf((id) => instruments.get(id ?? 0)?.code ?? ''),
        [instruments]);

    useActions(actions);
    return (
        <ListPage<Listed> title={texts.title} tabTitle={`${held ? `(${held}) ` : ''}${texts.title}`}
            label={texts.list} columns={columns} found={list} rows={rows} drop={drop}
            nameOf={({ fileName }) => fileName} addressOf={({ id }) => paths.instrumentFile(id)}
            none={texts.none} noneWhat={texts.noneWhat} begin={choose}
            filtered={status !== null} list="/instrument-files"
            head={<><span className="push" />{choose}<ActBar actions={actions} /></>}
            filters={(
                <div className="filters">
                    <States chosen={status} /><span className="push" />
                    <Csv list="/instrument-files" filters={status ? { status } : {}} />
                </div>
            )}
            foot={<span className="quiet">{drop ? texts.drop : ''}</span>} />
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The board of investigations (S14): by phase, with the clock of each.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { investigationListActions } from '../../actions/investigations.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { RecordForm } from '../../form/form.tsx';
import { Clock, PhaseOf, aboutOf, openPhases } from '../../nouns/investigation.tsx';
import type { Investigation } from '../../nouns/investigation.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { investigationForm } from './forms.ts';

const words = t.investigations;
const { columns: titles } = words;

const columnsOf = (person: (id: number | null) => string): Column<Investigation>[] => [
    { key: 'number', title: titles.number, className: 'w-who stay', cellClass: 'id', heads: true,
        sorted: true, cell: (one) => one.investigationNumber },
    { key: 'title', title: titles.title, cell: (one) => one.title, hint: (one) => one.title },
    { key: 'kind', title: titles.kind, className: 'w-state p4', cell: (one) => words.kind[one.kind] },
    { key: 'about', title: titles.about, className: 'w-long p2', cell: aboutOf },
    { key: 'phase', title: titles.phase, className: 'w-name',
        cell: (one) => <PhaseOf phase={one.status} /> },
    { key: 'opened', title: titles.opened, className: 'w-due roomy',
        cell: (one) => <Moment at={one.openedAt} day /> },
    { key: 'clock', title: titles.clock, className: 'w-name', cell: (one) => <Clock one={one} /> },
    { key: 'assignee', title: titles.assignee, className: 'w-name p3',
        cell: (one) => person(one.assigneeId) },
];

// Counts the open investigations in each phase; closed ones are not counted.
function Phases({ all, shown, more }: {
    all: Investigation[]; shown: string; more: boolean;
}): ReactElement {
    const choose = (phase: string) => () =>
        navigate(paths.investigations(phase ? `?phase=${phase}` : ''));
    const count = (n: number): ReactElement | null => n ? <b>{n}{more ? '+' : ''}</b> : null;
    return (
        <div className="filters">
            <div className="states" role="group" aria-label={words.phases}>
                <button type="button" aria-pressed={shown === ''} onClick={choose('')}>
                    {words.open}{count(all.length)}
                </button>
                {openPhases.map((phase) => (
                    <button key={phase} type="button" aria-pressed={shown === phase}
                        onClick={choose(phase)}>
                        {words.status[phase]}
                        {count(all.filter(({ status }) => status === phase).length)}
                    </button>
                ))}
                <button type="button" aria-pressed={shown === 'closed'} onClick={choose('closed')}>
                    {words.closed}
                </button>
            </div>
            <span className="push" />
            <Csv list="/investigations" filters={shown === '' || shown === 'closed'
                ? { open: String(shown === '') } : { status: shown }} />
        </div>
    );
}

// Members of the form that the address may fill in.
const about = ['sampleId', 'sampleTestId', 'qcBatchId', 'reagentLotId', 'mediaLotId',
    'instrumentFileId', 'parentId'];

function beginningOf(search: URLSearchParams): Record<string, unknown> {
    const begun: Record<string, unknown> = {};
    for (const [name, value] of search) {
        if (about.includes(name)) {
            begun[name] = Number(value);
        } else if (name === 'kind' || name === 'title') {
            begun[name] = value;
        }
    }
    return begun;
}

const none: Investigation[] = [];
const most = 200;

export function InvestigationList({ opening }: { opening?: boolean }): ReactElement {
    const { searchParams } = useAddress();
    const person = usePeople();
    const shown = searchParams.get('phase') ?? '';
    const cursor = searchParams.get('cursor');
    const query = { order: '-id' as const, limit: most };
    const open = useRead('/investigations', { params: { query: { ...query, open: true,
        ...(cursor && shown !== 'closed' ? { cursor: Number(cursor) } : {}) } } }, { live: 30 });
    const closed = useRead('/investigations', { params: { query: { ...query, open: false,
        ...(cursor ? { cursor: Number(cursor) } : {}) } } }, { enabled: shown === 'closed' });
    const found = shown === 'closed' ? closed : open;
    const all = open.data?.data ?? none;
    const rows = useMemo(() => (found.data?.data ?? none).filter(({ status }) =>
        shown === '' || shown === 'closed' || status === shown), [found.data, shown]);
    const columns = useMemo(() => columnsOf(person), [person]);

    return (
        <ListPage<Investigation> title={words.title} label={words.list} columns={columns}
            found={found} rows={rows} nameOf={(one) => one.investigationNumber}
            addressOf={({ id }) => paths.investigation(id)} actions={investigationListActions}
            none={words.none} noneWhat={words.noneWhat} filtered={shown !== ''} list="/investigations"
            filters={<Phases all={all} shown={shown} more={open.data?.hasMore ?? false} />}>
            {opening ? <RecordForm definition={investigationForm} id={null}
                initial={beginningOf(searchParams)} note={searchParams.get('of') ?? undefined}
                close={() => searchParams.has('of') ? history.back()
                    : navigate(paths.investigations())}
                saved={({ id }) => navigate(paths.investigation(Number(id)))} /> : null}
        </ListPage>
    );
}

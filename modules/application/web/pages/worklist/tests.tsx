// SPDX-License-Identifier: Apache-2.0
//
// The worklist test by test: what ends first stands first; those that are selected are taken,
// or become a run.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { useActions } from '../../acting/action.ts';
import { type OpenTest, worklistActions } from '../../actions/worklist.ts';
import { usePeople } from '../../api/names.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { searchWith } from '../../table/filter.ts';
import type { Filters } from '../../table/filter.ts';
import { Chip } from '../../table/filters.tsx';
import { Selected, useActs, usePlace } from '../../table/list-page.tsx';
import { type Column, ListTable } from '../../table/list-table.tsx';
import { RowPeek } from '../../table/peek.tsx';
import { t } from '../../texts/texts.ts';
import { useGroupName } from './group-names.ts';
import { type By, groupings, isIn } from './groups.ts';
import { Left } from './left.tsx';
import { NoneOpen, useOpenTests } from './open-tests.tsx';
import { Paper } from './paper.tsx';
import { Views } from './views.tsx';

const { worklist: texts, priority } = t.bench;
const { columns: heads } = texts;

const urgent: Readonly<Record<string, string>> = priority;

function columnsOf(person: (id: number | null) => string): Column<OpenTest>[] {
    return [
        { key: 'left', title: heads.left, className: 'w-when', cell: (test) => <Left test={test} /> },
        { key: 'priority', title: heads.priority, className: 'w-code p3',
            cell: (test) => <strong>{urgent[test.priority]}</strong> },
        { key: 'id', title: heads.trackingId, className: 'w-id', heads: true,
            cell: (test) => (
                <Link className="id" href={paths.sample(test.sampleId)}>{test.trackingId}</Link>
            ) },
        { key: 'material', title: heads.material, className: 'w-state p2',
            cell: ({ materialType }) => materialType },
        { key: 'client', title: heads.client, className: 'roomy',
            hint: ({ clientName }) => clientName ?? undefined, cell: ({ clientName }) => clientName },
        { key: 'test', title: heads.test, className: 'w-short', hint: ({ testName }) => testName,
            cell: ({ testCode }) => testCode },
        { key: 'method', title: heads.method, className: 'w-due p4', cell: ({ method }) => method },
        { key: 'limit', title: heads.limit, className: 'w-name p4',
            cell: ({ specification }) => specification },
        { key: 'state', title: heads.state, className: 'w-due p5', cell: ({ returned, status }) =>
            returned ? <strong>{texts.back}</strong> : t.sample.test[status] },
        { key: 'run', title: heads.run, className: 'w-due', cell: ({ qcBatchId, qcBatchNumber }) =>
            qcBatchId === null ? null : (
                <Link href={paths.bench('batch', String(qcBatchId))}>{qcBatchNumber}</Link>
            ) },
        { key: 'who', title: heads.who, className: 'w-name',
            cell: ({ assignedTo }) => person(assignedTo) },
        { key: 'stored', title: heads.stored, className: 'p3',
            hint: ({ storageLocation }) => storageLocation ?? undefined,
            cell: ({ storageLocation }) => storageLocation },
    ];
}

// Filters of the address: by group, and whether only one's own tests.
interface Asked {
    groups: [By, string][];
    mine: boolean;
}

function askedIn(search: URLSearchParams): Asked {
    return {
        groups: groupings.flatMap((by): [By, string][] => {
            const key = search.get(by);
            return key ? [[by, key]] : [];
        }),
        mine: search.has('mine'),
    };
}

function show({ groups, mine }: Asked): void {
    const search = new URLSearchParams([...groups, ...mine ? [['mine', '1']] : []]);
    navigate(paths.worklistTests(search.size ? `?${search.toString()}` : ''), { replace: true });
}

const parameters: Record<By, string> = { method: 'method', instrument: 'instrumentId',
    due: 'dueDate' };

// The worklist as a file, as filtered.
function Files({ groups, mine }: Asked): ReactElement {
    const { person } = useSession();
    const filters = Object.fromEntries([...groups.map(([by, key]) => [parameters[by], key]),
        ...mine ? [['assignedTo', String(person.id)]] : []]) as Filters;
    return (
        <>
            <Button kind="row plain" className="push" onPress={() => window.print()}>
                {texts.print}
            </Button>
            <Csv list="/worklist" filters={filters} />
            <a className="btn row plain" title={texts.sequenceWhat} download
                href={paths.download('/worklist/sequence', searchWith(filters))}>
                {texts.sequence}
            </a>
        </>
    );
}

function FilterLine({ all, asked }: { all: OpenTest[]; asked: Asked }): ReactElement {
    const nameOf = useGroupName();
    const methods = [...new Set(all.map((test) => test.method ?? ''))].filter(Boolean).sort();
    const others = asked.groups.filter(([by]) => by !== 'method');
    const method = asked.groups.find(([by]) => by === 'method')?.[1] ?? '';
    return (
        <div className="filters">
            <label className="status">
                <span className="quiet">{texts.heads.method}</span>
                <select value={method} onChange={({ target }) => show({ ...asked, groups: [...others,
                    ...target.value ? [['method', target.value] as [By, string]] : []] })}>
                    <option value="">{texts.allMethods}</option>
                    {methods.map((one) => <option key={one} value={one}>{one}</option>)}
                </select>
            </label>
            {others.map(([by, key]) => (
                <Chip key={by} text={texts.only(texts.group[by], nameOf(by, key))}
                    remove={() => show({ ...asked,
                        groups: asked.groups.filter(([one]) => one !== by) })} />
            ))}
            <label className="status">
                <input type="checkbox" checked={asked.mine}
                    onChange={({ target }) => show({ ...asked, mine: target.checked })} />
                {texts.mine}
            </label>
            <Files {...asked} />
        </div>
    );
}

const noActions: never[] = [];

// State of cursor and selection, and the actions on them.
function useChosen(rows: OpenTest[], view: string) {
    const place = usePlace<OpenTest>(rows, view);
    const { chosen, acted } = place;
    const actions = useActs<OpenTest>(chosen.length ? worklistActions : noActions, chosen, acted);

    useActions(actions);
    return { ...place, actions };
}

const benchOf = ({ method }: OpenTest): string | undefined =>
    method ? paths.bench('method', method) : undefined;

const nameOf = ({ trackingId, testCode }: OpenTest): string => `${trackingId} ${testCode}`;

function List({ rows, at }: {
    rows: OpenTest[]; at: ReturnType<typeof useChosen>;
}): ReactElement {
    const { place, cursor, selected, change, escape } = at;
    const columns = columnsOf(usePeople());
    const peeked = place.peek ? rows.find(({ id }) => id === cursor) : undefined;
    const open = (test: OpenTest): void => {
        const href = benchOf(test);
        if (href) {
            navigate(href);
        }
    };

    return (
        <>
            <div className="body">
                <div className="pane">
                    <ListTable<OpenTest> label={texts.testsLabel} columns={columns}
                        rows={rows} nameOf={nameOf} cursor={cursor} selected={selected}
                        stale={false} move={(id) => change({ cursor: id })}
                        select={(ids) => change({ selected: [...ids] })} escape={escape}
                        open={open} peek={() => change({ peek: !place.peek })} />
                </div>
                {peeked ? (
                    <RowPeek<OpenTest> row={peeked} name={nameOf(peeked)} columns={columns}
                        href={benchOf(peeked)} close={() => change({ peek: false })} />
                ) : null}
            </div>
            <div className="statusline">
                {place.selected.length ? <Selected shown={selected.size}
                    clear={() => change({ selected: [] })} /> : null}
            </div>
        </>
    );
}

function Filtered({ all }: { all: number }): ReactElement {
    return (
        <Nothing title={t.filters.noneOf(String(all))}>
            <p><Button onPress={() => show({ groups: [], mine: false })}>
                {t.filters.clearAll}
            </Button></p>
        </Nothing>
    );
}

const none: OpenTest[] = [];

export function WorklistTests(): ReactElement {
    const { person } = useSession();
    const { searchParams } = useAddress();
    const found = useOpenTests();
    const all = found.data ?? none;
    const asked = askedIn(searchParams);
    const key = searchParams.toString();
    const rows = useMemo(() => all.filter((test) =>
        asked.groups.every(([by, group]) => isIn(test, by, group))
        && (!asked.mine || test.assignedTo === person.id)), [all, key, person.id]);

    const chosen = useChosen(rows, key);

    useTitle(texts.tabTitle(rows.length));
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                {found.data ? <span className="quiet">{texts.count(rows.length)}</span> : null}
                <span className="push" />
                <ActBar actions={chosen.actions} />
            </div>
            <Views at="tests" />
            <FilterLine all={all} asked={asked} />
            {rows.length ? <List rows={rows} at={chosen} /> : (
                <div className="body">
                    <div className="pane">
                        {all.length ? <Filtered all={all.length} /> : <NoneOpen found={found} />}
                    </div>
                </div>
            )}
            <Paper tests={rows} method={asked.groups.find(([by]) => by === 'method')?.[1] ?? ''} />
        </main>
    );
}

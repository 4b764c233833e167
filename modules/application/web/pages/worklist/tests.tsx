// SPDX-License-Identifier: Apache-2.0
//
// The worklist test by test: what ends first stands first; those that are selected are taken,
// or become a run.
import { useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../actions/act-bar.tsx';
import { allowed, useActions } from '../../actions/action.ts';
import { type OpenTest, worklistActions } from '../../actions/worklist.ts';
import { usePeople } from '../../api/names.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { type Column, ListTable } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
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
        { key: 'client', title: heads.client, className: 'roomy', cell: ({ clientName }) => clientName },
        { key: 'test', title: heads.test, className: 'w-short', hint: ({ testName }) => testName,
            cell: ({ testCode }) => testCode },
        { key: 'method', title: heads.method, className: 'w-due p2', cell: ({ method }) => method },
        { key: 'limit', title: heads.limit, className: 'w-name p4',
            cell: ({ specification }) => specification },
        { key: 'run', title: heads.run, className: 'w-code', cell: ({ qcBatchId }) =>
            qcBatchId === null ? null : (
                <Link href={paths.bench('batch', String(qcBatchId))}>{texts.openRun}</Link>
            ) },
        { key: 'who', title: heads.who, className: 'w-name',
            cell: ({ assignedTo }) => person(assignedTo) },
        { key: 'stored', title: heads.stored, className: 'p3',
            hint: ({ storageLocation }) => storageLocation ?? undefined,
            cell: ({ storageLocation }) => storageLocation },
    ];
}

function show(method: string, mine: boolean): void {
    const search = new URLSearchParams();
    if (method !== '') {
        search.set('method', method);
    }
    if (mine) {
        search.set('mine', '1');
    }
    navigate(paths.worklistTests(search.size ? `?${search.toString()}` : ''), { replace: true });
}

// The worklist as a file, as filtered.
function Files({ method, mine }: { method: string; mine: boolean }): ReactElement {
    const { person } = useSession();
    const search = new URLSearchParams({ ...method ? { method } : {},
        ...mine ? { assignedTo: String(person.id) } : {} });
    const query = search.size ? `?${search.toString()}` : '';
    return (
        <>
            <Button kind="row plain" className="push" onPress={() => window.print()}>
                {texts.print}
            </Button>
            <a className="btn row plain" href={paths.download('/worklist/export', query)} download>
                {t.filters.csv}
            </a>
            <a className="btn row plain" href={paths.download('/worklist/sequence', query)}
                title={texts.sequenceWhat} download>{texts.sequence}</a>
        </>
    );
}

function Filters({ all, method, mine }: {
    all: OpenTest[]; method: string; mine: boolean;
}): ReactElement {
    const methods = [...new Set(all.map((test) => test.method ?? ''))].filter(Boolean).sort();
    return (
        <div className="filters">
            <label className="status">
                <span className="quiet">{texts.heads.method}</span>
                <select value={method} onChange={({ target }) => show(target.value, mine)}>
                    <option value="">{texts.allMethods}</option>
                    {methods.map((one) => <option key={one} value={one}>{one}</option>)}
                </select>
            </label>
            <label className="status">
                <input type="checkbox" checked={mine}
                    onChange={({ target }) => show(method, target.checked)} />
                {texts.mine}
            </label>
            <Files method={method} mine={mine} />
        </div>
    );
}

// State of cursor and selection, and the actions on them.
function useChosen(rows: OpenTest[]) {
    const [cursor, setCursor] = useState<number | null>(null);
    const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
    const at = rows.some(({ id }) => id === cursor) ? cursor : rows[0]?.id ?? null;
    const actions = useMemo(() => {
        const some = rows.filter(({ id }) => selected.has(id));
        const chosen = some.length ? some : rows.filter(({ id }) => id === at);
        return chosen.length ? allowed(worklistActions, chosen) : [];
    }, [rows, selected, at]);

    useActions(actions);
    return { at, setCursor, selected, setSelected, actions };
}

function List({ rows, chosen }: {
    rows: OpenTest[]; chosen: ReturnType<typeof useChosen>;
}): ReactElement {
    const { at, setCursor, selected, setSelected } = chosen;
    const person = usePeople();
    const clear = useCallback(() => setSelected(new Set()), [setSelected]);

    return (
        <>
            <div className="body">
                <div className="pane">
                    <ListTable<OpenTest> label={texts.testsLabel} columns={columnsOf(person)}
                        rows={rows} nameOf={(test) => `${test.trackingId} ${test.testCode}`}
                        cursor={at} selected={selected} stale={false} move={setCursor}
                        select={setSelected} escape={clear}
                        open={({ method }) => method && navigate(paths.bench('method', method))}
                        peek={({ sampleId }) => navigate(paths.sample(sampleId))} />
                </div>
            </div>
            <div className="statusline">
                {selected.size ? <span role="status">
                    <strong>{t.table.selected(selected.size)}</strong>
                </span> : null}
            </div>
        </>
    );
}

function Filtered(): ReactElement {
    return (
        <Nothing title={t.filters.none}>
            <p><Button onPress={() => show('', false)}>{t.filters.clearAll}</Button></p>
        </Nothing>
    );
}

const none: OpenTest[] = [];

export function WorklistTests(): ReactElement {
    const { person } = useSession();
    const { searchParams } = useAddress();
    const found = useOpenTests();
    const all = found.data ?? none;
    const method = searchParams.get('method') ?? '';
    const mine = searchParams.has('mine');
    const rows = useMemo(() => all.filter((test) => (method === '' || test.method === method)
        && (!mine || test.assignedTo === person.id)), [all, method, mine, person.id]);

    const chosen = useChosen(rows);

    useTitle(texts.title);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                {found.data ? <span className="quiet">{texts.count(rows.length)}</span> : null}
                <span className="push" />
                <ActBar actions={chosen.actions} />
            </div>
            <Views at="tests" />
            <Filters all={all} method={method} mine={mine} />
            {rows.length ? <List rows={rows} chosen={chosen} /> : (
                <div className="body">
                    <div className="pane">
                        {all.length ? <Filtered /> : <NoneOpen found={found} />}
                    </div>
                </div>
            )}
            <Paper tests={rows} method={method} />
        </main>
    );
}

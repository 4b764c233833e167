// SPDX-License-Identifier: Apache-2.0
//
// The list of QC batches, and new ones of templates by one click (S8).
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { allowed, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { makeActions } from '../../actions/qc-batches.ts';
import { rowsOf, useInstruments, usePeople } from '../../api/names.ts';
import { useAll, useRead } from '../../api/read.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { MenuButton } from '../../parts/menu.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router.tsx';
import { filtersIn } from '../../table/filter.ts';
import type { Filter, Filters } from '../../table/filter.ts';
import { FilterBar, show } from '../../table/filters.tsx';
import { Begin, ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
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

const known: Filter[] = [
    { name: 'qcStatus', title: words.status, choices: Object.entries(texts.status) },
    { name: 'instrumentId', title: words.instrument, records: '/instruments' },
    { name: 'qcTemplateId', title: words.template, records: '/qc-templates' },
];

function States({ filters }: { filters: Filters }): ReactElement {
    const { qcStatus: chosen, ...rest } = filters;
    return (
        <div className="filters">
            <div className="states" role="group" aria-label={texts.states}>
                <button type="button" aria-pressed={chosen === undefined}
                    onClick={() => show(paths.qcBatches(), rest)}>{texts.all}</button>
                {states.map((state) => (
                    <button key={state} type="button" aria-pressed={chosen === state}
                        onClick={() => show(paths.qcBatches(), { ...rest, qcStatus: state })}>
                        <Glyph name={glyphOf[state]} tone={glyphOf[state]} />{texts.status[state]}
                    </button>
                ))}
            </div>
        </div>
    );
}

function useMake(): Ready[] {
    const templates = useAll('/qc-templates', rowsOf);
    const actions = useMemo(() => allowed(makeActions(templates), null), [templates]);

    useActions(actions);
    return actions;
}

function Make({ actions }: { actions: Ready[] }): ReactElement | null {
    return actions.length
        ? <MenuButton items={actions} label={texts.make}>{texts.make}</MenuButton> : null;
}

const empty: Listed[] = [];

export function BatchList(): ReactElement {
    const { searchParams } = useAddress();
    const instruments = useInstruments();
    const person = usePeople();
    const make = useMake();
    const filters = filtersIn(searchParams, known);
    const cursor = searchParams.get('cursor');
    const list = useRead('/qc-batches', { params: { query: { ...filters, order: '-id', limit: 50,
        ...(cursor ? { cursor: Number(cursor) } : {}) } } },
    { live: 15 });
    const columns = useMemo(() => columnsOf({ person,
        instrument: (id) => instruments.get(id ?? 0)?.code ?? '' }), [person, instruments]);

    return (
        <ListPage<Listed> title={texts.title} label={texts.list} columns={columns} found={list}
            rows={list.data?.data ?? empty} nameOf={({ batchNumber }) => batchNumber}
            addressOf={({ id }) => paths.qcBatch(id)} none={texts.none} noneWhat={texts.noneWhat}
            filtered={Object.keys(filters).length > 0} list="/qc-batches"
            begin={<Begin actions={make} />}
            head={<><span className="push" /><Make actions={make} /></>} filters={<>
                <States filters={filters} /><FilterBar known={known} csv="/qc-batches" />
            </>} />
    );
}

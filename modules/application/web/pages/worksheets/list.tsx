// SPDX-License-Identifier: Apache-2.0
//
// The worksheets (S9): of which test, and what is left to do on each.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link, useAddress } from '../../router.tsx';
import { filtersIn } from '../../table/filter.ts';
import type { Filter } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';

type Row = Read<'/worksheets'>['data'][number];

const words = t.worksheets;
const { columns: titles } = words;

const glyphs: Record<Row['status'], Extract<Tone, GlyphName>> = {
    missing: 'attention', incomplete: 'progress', unsigned: 'attention', complete: 'ready',
};

export function StateOf({ status }: { status: Row['status'] }): ReactElement {
    return <Status glyph={glyphs[status]} tone={glyphs[status]}>{words.status[status]}</Status>;
}

const columns: Column<Row>[] = [
    { key: 'sample', title: titles.sample, className: 'w-who stay', cellClass: 'id', heads: true,
        sorted: true, cell: (row) => row.trackingId },
    { key: 'test', title: titles.test, className: 'w-name', cell: (row) => row.testCode },
    { key: 'template', title: titles.template, cell: (row) => row.templateName },
    { key: 'status', title: titles.status, className: 'w-state',
        cell: (row) => <StateOf status={row.status} /> },
    { key: 'missing', title: titles.missing, className: 'w-due right p2',
        cell: (row) => words.missing(row.missing.length) },
    { key: 'begun', title: titles.begun, className: 'w-when p3',
        cell: (row) => <Moment at={row.createdAt} /> },
];

const known: Filter[] = [
    { name: 'templateId', title: titles.template, records: '/worksheet-templates' },
];

const none: Row[] = [];

export function WorksheetList(): ReactElement {
    const { searchParams } = useAddress();
    const filters = filtersIn(searchParams, known);
    const cursor = searchParams.get('cursor');
    const found = useRead('/worksheets', { params: { query: { ...filters, order: '-id', limit: 50,
        ...(cursor ? { cursor: Number(cursor) } : {}) } } }, { live: 30 });
    return (
        <ListPage<Row> title={words.title} label={words.list} columns={columns} found={found}
            rows={found.data?.data ?? none} nameOf={(row) => `${row.testCode} ${row.trackingId}`}
            addressOf={({ id }) => paths.worksheet(id)} none={words.none}
            noneWhat={words.noneWhat}
            begin={<Link href={paths.worklist()}>{t.goTo(t.bench.worklist.title)}</Link>}
            filtered={Object.keys(filters).length > 0}
            list="/worksheets" filters={<FilterBar known={known} csv="/worksheets" />} />
    );
}

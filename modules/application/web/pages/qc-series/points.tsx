// SPDX-License-Identifier: Apache-2.0
//
// The points of a chart as a table, latest first: what the drawing shows, for who reads
// it or copies it.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import type { QcPoint } from '../../actions/qc-series.ts';
import { Decimal } from '../../parts/decimal.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { ListTable } from '../../table/list-table.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { limitsOf, signed, verdictOf } from './describe.ts';

export interface Row extends QcPoint {
    id: number;
    run: number;
}

const texts = t.charts;
const { columns: words } = texts;

function Verdict({ row }: { row: Row }): ReactElement | null {
    return row.passed === null ? null : (
        <Status glyph={row.passed ? 'ready' : 'blocked'} tone={row.passed ? 'ready' : 'blocked'}>
            {verdictOf(row)}
        </Status>
    );
}

const columnsOf = (unit: string): Column<Row>[] => [
    { key: 'run', title: words.run, className: 'w-code right', cell: ({ run }) => run },
    { key: 'date', title: words.date, className: 'w-due', sorted: true,
        cell: ({ measuredAt }) => <Moment at={measuredAt} day /> },
    { key: 'batch', title: words.batch, className: 'w-name', heads: true,
        cell: ({ batchNumber, qcBatchId }) =>
            <Link href={paths.qcBatch(qcBatchId)} tabIndex={-1}>{batchNumber}</Link> },
    { key: 'found', title: `${words.found}, ${unit}`, className: 'w-name dec',
        cell: ({ value }) => <Decimal text={String(value)} /> },
    { key: 'z', title: words.z, className: 'w-short dec',
        cell: ({ z }) => <Decimal text={signed(z)} /> },
    { key: 'rule', title: words.rule, className: 'w-name',
        cell: ({ broken }) => <strong>{broken.join(', ')}</strong> },
    { key: 'limits', title: words.limits, className: 'w-name p2', cell: limitsOf },
    { key: 'verdict', title: words.verdict, className: 'w-name p2',
        cell: (row) => <Verdict row={row} /> },
    { key: 'out', title: words.out, cell: ({ reason }) => reason,
        hint: ({ reason }) => reason ?? undefined },
];

interface Properties {
    rows: Row[];
    unit: string;
    cursor: number | null;
    move: (id: number | null) => void;
}

export function Points({ rows, unit, cursor, move }: Properties): ReactElement {
    const columns = useMemo(() => columnsOf(unit), [unit]);
    return (
        <ListTable<Row> label={texts.table} columns={columns} rows={rows}
            nameOf={({ batchNumber }) => batchNumber} cursor={cursor} stale={false}
            move={move}
            open={({ qcBatchId }) => navigate(paths.qcBatch(qcBatchId))}
            escape={() => move(null)} />
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The few rows of a record's tab: read, not acted on.
import type { ReactElement, ReactNode } from 'react';

import type { Problem } from '../api/problem.ts';
import { Nothing, Refused, Waiting } from '../parts/states.tsx';

interface Column<Row> {
    title: string;
    className?: string;
    cell: (row: Row) => ReactNode;
}

interface Properties<Row> {
    label: string;
    none: string;
    // Explanation where there are no rows, and how the first comes about.
    noneWhat?: ReactNode;
    columns: Column<Row>[];
    found: { data: { data: Row[] } | undefined; error: Problem | null };
}

export function PlainTable<Row extends { id: number | string }>(
    { label, none, noneWhat, columns, found }: Properties<Row>,
): ReactElement {
    if (!found.data) {
        return found.error ? <Refused problem={found.error} />
            : <Waiting what={label} rows={4} />;
    }
    if (found.data.data.length === 0) {
        return <Nothing title={none}>{noneWhat}</Nothing>;
    }
    return (
        <table className="table" aria-label={label}>
            <thead>
                <tr>
                    {columns.map(({ title, className }) => (
                        <th key={title} scope="col" className={className}>{title}</th>
                    ))}
                </tr>
            </thead>
            <tbody>
                {found.data.data.map((row) => (
                    <tr key={row.id}>
                        {columns.map(({ title, className, cell }, i) => i === 0
                            ? <th key={title} scope="row" className={className}>{cell(row)}</th>
                            : <td key={title} className={className}>{cell(row)}</td>)}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Turnaround of reported samples, by method and by client, in a period that stands in the
// address.
import type { ReactElement } from 'react';

import type { Problem } from '../../api/problem.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router.tsx';
import { searchWith } from '../../table/filter.ts';
import { Period } from '../../table/period.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';

type Row = Read<'/turnaround'>['rows'][number];
type Group = Row['by'];

const words = t.turnaround;

function Rows({ group, found }: {
    group: Group;
    found: { data: { rows: Row[] } | undefined; error: Problem | null };
}): ReactElement {
    const rows = found.data?.rows.filter(({ by }) => by === group)
        .map((row) => ({ ...row, id: row.name ?? '' }));
    const { columns } = words;
    return (
        <section className="section" aria-label={words[group]}>
            <h2>{words[group]}</h2>
            <PlainTable label={words[group]} none={words.none} noneWhat={words.noneWhat}
                found={{ data: rows ? { data: rows } : undefined, error: found.error }}
                columns={[
                    { title: columns[group], cell: ({ name }) => name ?? words.noMethod },
                    { title: columns.samples, className: 'w-due right', cell: ({ samples }) => samples },
                    ...group === 'method' ? [{ title: columns.tests, className: 'w-due right',
                        cell: ({ tests }: Row) => tests }] : [],
                    { title: columns.median, className: 'w-due right',
                        cell: ({ medianHours }) => words.hours(medianHours) },
                    { title: columns.p90, className: 'w-due right',
                        cell: ({ p90Hours }) => words.hours(p90Hours) },
                    { title: columns.due, className: 'w-long', cell: (row) =>
                        words.inTime(row.withinDuePercent, row.withinDue, row.withDueDate) },
                ]} />
        </section>
    );
}

export function Turnaround(): ReactElement {
    const { searchParams } = useAddress();
    const { prints } = useSession();
    const [from, to] = [searchParams.get('from'), searchParams.get('to')];
    const period = { ...from ? { from } : {}, ...to ? { to } : {} };
    const found = useRead('/turnaround', { params: { query: period } });
    useTitle(words.title);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{words.title}</h1>
                <Period titles={words} usual={found.data} place={paths.turnaround} />
                <span className="push" />
                <a className="btn" download
                    href={paths.download('/turnaround/export', searchWith(period))}>
                    {t.filters.csv}
                </a>
                {prints ? (
                    <a className="btn" target="_blank" rel="noreferrer"
                        href={paths.download('/turnaround/export.pdf', searchWith(period))}>
                        {t.filters.pdf}
                    </a>
                ) : null}
            </div>
            <div className="body">
                <div className="pane sections">
                    <p className="section caption">
                        {found.data ? words.what(dayOf(found.data.from), dayOf(found.data.to)) : null}
                    </p>
                    <Rows group="method" found={found} />
                    {found.error ? null : <Rows group="client" found={found} />}
                </div>
            </div>
        </main>
    );
}

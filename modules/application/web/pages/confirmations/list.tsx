// SPDX-License-Identifier: Apache-2.0
//
// The board of confirmations (S10): since when a result is presumptive, and what is to be
// read when.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Due, StateOf, nameOf } from '../../nouns/confirmation.tsx';
import type { Confirmation, State } from '../../nouns/confirmation.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { beginOf, dayIn } from '../../texts/local-time.ts';
import { t } from '../../texts/texts.ts';

const words = t.confirmations;
const { columns: titles } = words;

// Returns the medium on which the next step of the plan is read.
const mediumOf = ({ plan, nextStep }: Confirmation): string =>
    plan.find(({ step }) => step === nextStep)?.medium ?? '';

const columnsBy = (isNewestFirst: boolean): Column<Confirmation>[] => [
    { key: 'sample', title: titles.sample, className: 'w-who stay', cellClass: 'id', heads: true,
        sorted: isNewestFirst, cell: (one) => one.trackingId },
    { key: 'test', title: titles.test, cell: (one) => `${one.testCode} ${one.testName}`,
        hint: (one) => one.testName },
    { key: 'result', title: titles.result, className: 'w-due right', cell: (one) => one.result },
    { key: 'since', title: titles.since, className: 'w-name p3', cell: (one) =>
        one.presumptiveSince ? <Moment at={one.presumptiveSince} /> : null },
    { key: 'next', title: titles.next, className: 'w-long p2', cell: (one) =>
        [one.nextStep, mediumOf(one)].filter(Boolean).join(', ') },
    { key: 'due', title: titles.due, className: 'w-name', cell: (one) => <Due one={one} /> },
    { key: 'status', title: titles.status, className: 'w-name', cell: (one) =>
        <StateOf state={one.confirmationStatus} /> },
];

const columns = columnsBy(true);
const columnsDue = columnsBy(false);

type Shown = State | 'due';

const views: Shown[] = ['pending', 'due', 'confirmed', 'refuted'];
const none: Confirmation[] = [];

// Returns the filters of a view; due: what is to be read before the laboratory's day ends.
function filtersOf(shown: Shown, zone: string): {
    confirmationStatus: State; dueBefore?: string;
} {
    if (shown !== 'due') {
        return { confirmationStatus: shown };
    }
    const tomorrow = new Date(Date.parse(dayIn(zone, Date.now())) + 86_400_000)
        .toISOString().slice(0, 10);
    return { confirmationStatus: 'pending', dueBefore: beginOf(tomorrow, zone) };
}

const dueOf = ({ nextReadDue }: Confirmation): number => Date.parse(nextReadDue ?? '');

export function ConfirmationList(): ReactElement {
    const { searchParams } = useAddress();
    const { organization } = useSession();
    const shown = views.find((view) => view === searchParams.get('state')) ?? 'pending';
    const isDue = shown === 'due';
    const filters = filtersOf(shown, organization.timeZone);
    const cursor = searchParams.get('cursor');
    const found = useRead('/confirmations', { params: { query: {
        order: '-id', limit: isDue ? 200 : 50, ...filters,
        ...(cursor ? { cursor: Number(cursor) } : {}),
    } } }, { live: 30 });
    const read = found.data?.data ?? none;
    const rows = useMemo(() => isDue ? [...read].sort((a, b) => dueOf(a) - dueOf(b)) : read,
        [isDue, read]);

    return (
        <ListPage<Confirmation> title={words.title} label={isDue ? words.listDue : words.list}
            columns={isDue ? columnsDue : columns} found={found} rows={rows} nameOf={nameOf}
            addressOf={({ id }) => paths.confirmation(id)} none={words.none}
            noneWhat={words.noneWhat}
            begin={<Link href={paths.worklist()}>{t.goTo(t.bench.worklist.title)}</Link>}
            filtered={shown !== 'pending'} list="/confirmations"
            filters={(
                <div className="filters">
                    <div className="states" role="group" aria-label={words.show}>
                        {views.map((view) => (
                            <button key={view} type="button" aria-pressed={view === shown}
                                onClick={() => navigate(paths.confirmations(
                                    view === 'pending' ? '' : `?state=${view}`))}>
                                {view === 'due' ? words.dueToday : words.status[view]}
                            </button>
                        ))}
                    </div>
                    <span className="push" />
                    <Csv list="/confirmations" filters={filters} />
                </div>
            )} />
    );
}

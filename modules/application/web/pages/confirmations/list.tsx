// SPDX-License-Identifier: Apache-2.0
//
// The board of confirmations (S10): since when a result is presumptive, and what is to be
// read when.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Due, StateOf, nameOf } from '../../nouns/confirmation.tsx';
import type { Confirmation, State } from '../../nouns/confirmation.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';

const words = t.confirmations;
const { columns: titles } = words;

// Returns the medium on which the next step of the plan is read.
const mediumOf = ({ plan, nextStep }: Confirmation): string =>
    plan.find(({ step }) => step === nextStep)?.medium ?? '';

const columns: Column<Confirmation>[] = [
    { key: 'sample', title: titles.sample, className: 'w-who stay', cellClass: 'id', heads: true,
        sorted: true, cell: (one) => one.trackingId },
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

const states: State[] = ['pending', 'confirmed', 'refuted'];
const none: Confirmation[] = [];

export function ConfirmationList(): ReactElement {
    const { searchParams } = useAddress();
    const shown = states.find((state) => state === searchParams.get('state')) ?? 'pending';
    const cursor = searchParams.get('cursor');
    const found = useRead('/confirmations', { params: { query: {
        order: '-id', limit: 50, confirmationStatus: shown,
        ...(cursor ? { cursor: Number(cursor) } : {}),
    } } }, { live: 30 });

    return (
        <ListPage<Confirmation> title={words.title} label={words.list} columns={columns}
            found={found} rows={found.data?.data ?? none} nameOf={nameOf}
            addressOf={({ id }) => paths.confirmation(id)} none={words.none}
            noneWhat={words.noneWhat}
            begin={<Link href={paths.worklist()}>{t.goTo(t.bench.worklist.title)}</Link>}
            filtered={shown !== 'pending'} list="/confirmations"
            filters={(
                <div className="filters">
                    <div className="states" role="group" aria-label={words.show}>
                        {states.map((state) => (
                            <button key={state} type="button" aria-pressed={state === shown}
                                onClick={() => navigate(paths.confirmations(
                                    state === 'pending' ? '' : `?state=${state}`))}>
                                {words.status[state]}
                            </button>
                        ))}
                    </div>
                    <span className="push" />
                    <Csv list="/confirmations" filters={{ confirmationStatus: shown }} />
                </div>
            )} />
    );
}

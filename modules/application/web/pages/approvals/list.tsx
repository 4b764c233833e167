// SPDX-License-Identifier: Apache-2.0
//
// The inbox of those who approve (S12): what waits for a decision, and who decides it.
import type { ReactElement } from 'react';

import { approvalActions, nameOf } from '../../actions/approvals.ts';
import type { Task } from '../../actions/approvals.ts';
import { useRead } from '../../api/read.ts';
import { Moment } from '../../parts/moment.tsx';
import { Flag } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { Csv } from '../../table/csv.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf, span } from '../../texts/time.ts';

const { approvals: words } = t.release;
const { columns: titles } = words;

const urgent: Record<string, string> = t.samples.priority;

const flagsOf = ({ flags }: Task): ReactElement[] => flags.flatMap((name) => {
    const known = t.samples.flags[name as keyof typeof t.samples.flags];
    return known ? [<Flag key={name} code={known[0] ?? ''} meaning={known[1] ?? ''} />] : [];
});

const columns: Column<Task>[] = [
    { key: 'sample', title: titles.sample, className: 'w-id stay', cellClass: 'id', heads: true,
        cell: ({ sample }) => sample.trackingId },
    { key: 'step', title: titles.step, className: 'w-ident',
        cell: ({ step, name, round }) => words.stepOf(step, name, round) },
    { key: 'client', title: titles.client, cell: ({ sample }) => sample.clientName,
        hint: ({ sample }) => sample.clientName ?? undefined },
    { key: 'asked', title: titles.asked, className: 'w-when p4',
        cell: ({ requestedAt }) => <Moment at={requestedAt} /> },
    { key: 'age', title: titles.age, className: 'w-short',
        cell: ({ requestedAt }) => span(Date.parse(requestedAt) - Date.now()) },
    { key: 'due', title: titles.due, className: 'w-due', cell: ({ sample }) => (
        <>
            {sample.dueDate ? dayOf(sample.dueDate) : null}{' '}
            {sample.priority === 'routine' ? null : <strong>{urgent[sample.priority] ?? sample.priority}</strong>}
        </>
    ) },
    { key: 'results', title: titles.results, className: 'w-short right p2',
        cell: ({ sample }) => sample.results },
    { key: 'investigations', title: titles.investigations, className: 'w-due right p2',
        cell: ({ sample }) => sample.investigations || null },
    { key: 'role', title: titles.role, className: 'w-who p4',
        cell: ({ role }) => role ? t.reference.roles[role] : words.anybody },
    { key: 'flags', title: titles.flags, className: 'w-due', cell: flagsOf },
];

const none: Task[] = [];

function Whose({ all }: { all: boolean }): ReactElement {
    return (
        <div className="states" role="group" aria-label={words.show}>
            {[false, true].map((one) => (
                <button key={String(one)} type="button" aria-pressed={one === all}
                    onClick={() => navigate(paths.approvals(one ? '?all=1' : ''))}>
                    {one ? words.all : words.mine}
                </button>
            ))}
        </div>
    );
}

export function ApprovalList(): ReactElement {
    const { searchParams } = useAddress();
    const all = searchParams.has('all');
    const cursor = searchParams.get('cursor');
    const found = useRead('/approval-records', { params: { query: {
        status: 'pending', limit: 100,
        // The person's own decisions are a queue: the longest waiting come first.
        ...(all ? { order: '-id' as const } : { mine: true }), ...(cursor ? { cursor: Number(cursor) } : {}),
    } } }, { live: 15 });

    const mine = (found.data?.data ?? none).filter((task) => task.mine).length;

    return (
        <ListPage<Task> title={words.title} tabTitle={words.tabTitle(mine)} label={words.title} columns={columns} found={found}
            rows={found.data?.data ?? none} nameOf={nameOf} actions={approvalActions}
            addressOf={({ id }) => paths.approval(id)} none={words.none} noneWhat={words.noneWhat}
            begin={<Link href={paths.samples()}>{t.goTo(t.samples.title)}</Link>}
            filtered={false} filters={(
                <div className="filters">
                    <Whose all={all} /><span className="push" />
                    <Csv list="/approval-records"
                        filters={{ status: 'pending', ...all ? {} : { mine: 'true' } }} />
                </div>
            )} />
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// One approval: the content to be signed, as the certificate would state it; beside it the steps of
// its round and what still blocks the sample.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { approvalActions, nameOf } from '../../actions/approvals.ts';
import type { Task } from '../../actions/approvals.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { Issued, Preview } from '../certificates/preview.tsx';
import { Findings } from '../samples/readiness.tsx';

type Step = Read<'/samples/{id}/approvals'>['data'][number];

const { approvals: words } = t.release;
const glyphs = { pending: 'progress', approved: 'ready', rejected: 'blocked' } as const;

function Decided({ step }: { step: Step }): ReactElement | null {
    const person = usePeople();
    return step.decidedAt ? (
        <span className="quiet">
            {t.sample.approval[step.status]} {t.sample.by(person(step.decidedBy))}{',\u00a0'}
            <Moment at={step.decidedAt} />
        </span>
    ) : null;
}

// Steps of the round in order; decided steps before this one are links.
function Steps({ task, steps }: { task: Task; steps: Step[] }): ReactElement {
    return (
        <ul className="findings">
            {steps.map((step) => (
                <li key={step.id} aria-current={step.id === task.id ? 'step' : undefined}>
                    <Glyph name={glyphs[step.status]} tone={glyphs[step.status]} />
                    <div>
                        <p>{step.step}. {step.name}</p>
                        <Decided step={step} />
                        {step.status === 'pending' && step.step < task.step
                            ? <Link href={paths.approval(step.id)}>{words.first}</Link> : null}
                        {step.comment ? <p>{step.comment}</p> : null}
                    </div>
                </li>
            ))}
        </ul>
    );
}

function Beside({ task }: { task: Task }): ReactElement {
    const found = useRead('/samples/{id}/approvals',
        { params: { path: { id: task.sampleId }, query: { limit: 100 } } }, { live: 15 });
    const steps = (found.data?.data ?? []).filter(({ round }) => round === task.round)
        .sort((a, b) => a.step - b.step);
    return (
        <aside className="peek" aria-labelledby="steps">
            <h2 id="steps">{words.steps}</h2>
            <Steps task={task} steps={steps} />
            <h2>{t.sample.readiness}</h2>
            <Findings sampleId={task.sampleId} />
        </aside>
    );
}

function Opened({ task, tab }: { task: Task; tab: string }): ReactElement {
    const { organization } = useSession();
    const actions = useMemo(() => allowed(approvalActions, [task]), [task]);
    const tabs = [{ id: '', title: t.record.tabs.overview }, ...useRecordTabs({ id: task.id,
        table: 'approval', history: '/approval-records/{id}/history' })];

    useActions(actions);
    useEffect(() => {
        document.title = `${nameOf(task)} · ${organization.name}`;
    }, [task, organization.name]);
    return (
        <>
            <div className="head">
                <h1 className="id">
                    <Link href={paths.sample(task.sampleId)}>{task.sample.trackingId}</Link>
                </h1>
                {task.status === 'pending' ? null : (
                    <Status glyph={glyphs[task.status]} tone={glyphs[task.status]}>
                        {t.sample.approval[task.status]}
                    </Status>
                )}
                <span>{words.stepOf(task.step, task.name, task.round)}</span>
                <span className="quiet cut">{task.sample.clientName}</span>
                <span className="push" />
                {task.status === 'pending' ? <ActBar actions={actions} /> : null}
            </div>
            <TabBar label={nameOf(task)} tabs={tabs} at={tab}
                href={(to) => paths.approval(task.id, to)} />
            {tab === '' ? (
                <div className="body">
                    <div className="pane">
                        {task.status === 'pending' ? <Preview sampleId={task.sampleId} />
                            : <Issued sampleId={task.sampleId} />}
                    </div>
                    <Beside task={task} />
                </div>
            ) : <TabPane tabs={tabs} at={tab} />}
        </>
    );
}

// The inbox has the approval with its sample; its page begins behind the one before it.
export function ApprovalRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const found = useRead('/approval-records',
        { params: { query: { cursor: id - 1, limit: 1 } } }, { live: 15 });
    const task = found.data?.data.find((one) => one.id === id);

    return (
        <main className="page" id="main" tabIndex={-1}>
            {task ? <Opened key={id} task={task} tab={tab} /> : (
                <>
                    <div className="head"><h1>{words.title}</h1></div>
                    {found.error ? <Refused problem={found.error} /> : null}
                    {!found.error && !found.isPlaceholderData && found.data
                        ? (
                            <Nothing title={words.gone}>
                                <p><Link href={paths.approvals()}>{t.goTo(words.title)}</Link></p>
                            </Nothing>
                        ) : null}
                    {!found.error && !found.data ? <Waiting what={words.title} /> : null}
                </>
            )}
        </main>
    );
}

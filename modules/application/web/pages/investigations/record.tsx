// SPDX-License-Identifier: Apache-2.0
//
// One investigation: the event, the findings, the actions that follow.
import { useEffect, useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { investigationActions, investigationsChanged } from '../../actions/investigations.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { Clock, PhaseOf } from '../../nouns/investigation.tsx';
import type { Investigation } from '../../nouns/investigation.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { Package } from '../../record/package.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
import { actionForm, investigationForm } from './forms.ts';
import { Actions, Causes, Values } from './work.tsx';

const words = t.investigations;

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement | null {
    return children ? <div><dt>{name}</dt><dd>{children}</dd></div> : null;
}

function Facts({ one }: { one: Investigation }): ReactElement {
    const person = usePeople();
    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">{words.fact.title}</h2>
            <dl className="stack">
                <Fact name={words.fact.what}>{one.title}</Fact>
                <Fact name={words.fact.kind}>{words.kind[one.kind]}</Fact>
                <Fact name={words.fact.sample}>
                    {one.sampleId === null ? null : (
                        <Link className="id" href={paths.sample(one.sampleId)}>{one.trackingId}</Link>
                    )}
                </Fact>
                <Fact name={words.fact.test}>{one.testCode}</Fact>
                <Fact name={words.fact.batch}>
                    {one.qcBatchId === null ? null : (
                        <Link className="id" href={paths.qcBatch(one.qcBatchId)}>
                            {one.qcBatchNumber}
                        </Link>
                    )}
                </Fact>
                <Fact name={words.fact.lot}>
                    {one.lotCode === null ? null : <LotOf one={one} />}
                </Fact>
                <Fact name={words.fact.file}>
                    {one.instrumentFileId === null ? null : (
                        <Link href={paths.instrumentFile(one.instrumentFileId)}>{one.fileName}</Link>
                    )}
                </Fact>
                <Fact name={words.fact.opened}>
                    <Moment at={one.openedAt} />{' '}
                    {one.openedBy === null ? null : words.fact.by(person(one.openedBy))}
                </Fact>
                <Fact name={words.fact.due}>{one.dueOn ? dayOf(one.dueOn) : null}</Fact>
                <Fact name={words.fact.assignee}>{person(one.assigneeId)}</Fact>
                <Fact name={words.fact.closed}>
                    {one.closedAt ? <><Moment at={one.closedAt} />{' '}
                        {words.fact.by(person(one.closedBy))}</> : null}
                </Fact>
                {one.parentId === null ? null : (
                    <Fact name={words.fact.parent}><Parent id={one.parentId} /></Fact>
                )}
            </dl>
        </section>
    );
}

function LotOf({ one }: { one: Investigation }): ReactElement {
    const { reagentLotId, mediaLotId, lotCode } = one;
    const href = reagentLotId === null ? paths.lot('media', mediaLotId ?? 0)
        : paths.lot('reagent', reagentLotId);
    return <Link className="id" href={href}>{lotCode}</Link>;
}

function Parent({ id }: { id: number }): ReactElement {
    const found = useRead('/investigations/{id}', { params: { path: { id } } });
    return <Link href={paths.investigation(id)}>{found.data?.investigationNumber}</Link>;
}

const formOf = (one: Investigation, tab: string) => tab === 'edit' ? investigationForm
    : tab === 'action' ? actionForm(one.id) : null;

function Opened({ one, tab }: { one: Investigation; tab: string }): ReactElement {
    const actions = useMemo(() => allowed(investigationActions, one), [one]);
    const form = formOf(one, tab);
    const shown = form ? '' : tab;
    const tabs = [{ id: '', title: words.overview }, ...useRecordTabs({ table: 'investigation',
        id: one.id, history: '/investigations/{id}/history' })];
    const back = (): void => navigate(paths.investigation(one.id));

    useActions(actions);
    return (
        <>
            <div className="head">
                <h1 className="id">{one.investigationNumber}</h1>
                <PhaseOf phase={one.status} /><Clock one={one} />
                <span className="push" />
                <ActBar actions={actions} />
                <Package of={`/investigations/${one.id}`} />
            </div>
            <TabBar label={one.investigationNumber} tabs={tabs} at={shown}
                href={(to) => paths.investigation(one.id, to)} />
            <TabPane tabs={tabs} at={shown} />
            {shown === '' ? (
                <div className="body record">
                    <Facts one={one} />
                    <div className="pane"><Values one={one} /><Actions one={one} /></div>
                    <Causes one={one} />
                </div>
            ) : null}
            {form ? <RecordForm key={tab} definition={form} id={tab === 'edit' ? one.id : null}
                close={back} saved={() => void investigationsChanged().then(back)} /> : null}
        </>
    );
}

export function InvestigationRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/investigations/{id}', { params: { path: { id } } }, { live: 15 });
    const one = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${one?.investigationNumber ?? words.title} · ${organization.name}`;
    }, [one?.investigationNumber, organization.name]);
    return (
        <main className="page" id="main">
            {one ? <Opened one={one} tab={tab} />
                : <div className="head"><h1>{words.title}</h1></div>}
            {!one && found.error ? (
                <NotShown problem={found.error} list={paths.investigations()} title={words.title} />
            ) : null}
            {!one && !found.error ? <Waiting what={words.title} /> : null}
        </main>
    );
}

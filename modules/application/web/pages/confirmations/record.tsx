// SPDX-License-Identifier: Apache-2.0
//
// One confirmation of a presumptive positive: the result, the readings so far, the next step.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { confirmationActions, confirmationsChanged } from '../../actions/confirmations.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { Due, StateOf } from '../../nouns/confirmation.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link, navigate } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { stepForm } from './forms.ts';

type Whole = Read<'/confirmations/{id}'>;

const words = t.confirmations;

function Facts({ one }: { one: Whole }): ReactElement {
    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">{words.facts}</h2>
            <dl className="stack">
                <div><dt>{words.fact.sample}</dt><dd>
                    <Link className="id" href={paths.sample(one.sampleId)}>{one.trackingId}</Link>
                </dd></div>
                <div><dt>{words.fact.test}</dt><dd>{one.testName}</dd></div>
                <div><dt>{words.fact.result}</dt><dd><strong>{one.result}</strong></dd></div>
                {one.presumptiveSince ? <div><dt>{words.fact.since}</dt>
                    <dd><Moment at={one.presumptiveSince} /></dd></div> : null}
                {one.nextStep ? <div><dt>{words.fact.next}</dt><dd>{one.nextStep}</dd></div> : null}
                {one.nextReadDue ? <div><dt>{words.fact.due}</dt>
                    <dd><Moment at={one.nextReadDue} /></dd></div> : null}
            </dl>
        </section>
    );
}

function Readings({ one }: { one: Whole }): ReactElement {
    const person = usePeople();
    const { steps: texts } = words;
    return (
        <>
            <h2 className="part">{texts.title}</h2>
            <PlainTable label={texts.title} none={texts.none}
                found={{ data: { data: one.steps }, error: null }} columns={[
                    { title: texts.no, className: 'w-code', cell: (step) => step.position },
                    { title: texts.medium, className: 'w-who wrap', cell: (step) => (
                        <>
                            {step.medium}{step.medium && step.mediaLotId ? ', ' : null}
                            {step.mediaLotId ? <Link className="id"
                                href={paths.lot('media', step.mediaLotId)}>{step.mediaLotCode}</Link>
                                : null}
                        </>
                    ) },
                    { title: texts.procedure, className: 'w-who wrap p3', cell: (step) => step.procedure },
                    { title: texts.reading, className: 'wrap', cell: (step) => step.reading },
                    { title: texts.outcome, className: 'w-name wrap', cell: (step) =>
                        <strong>{step.outcome}</strong> },
                    { title: texts.read, className: 'w-when',
                        cell: (step) => step.readAt ? <Moment at={step.readAt} /> : null },
                    { title: texts.by, className: 'w-name p2', cell: (step) => person(step.performedBy) },
                ]} />
        </>
    );
}

// The plan with what of it is read, decided or not: as many steps as the result has readings.
function Plan({ one }: { one: Whole }): ReactElement {
    const read = one.readingsMade;
    const next = one.nextStep === null ? -1 : read;
    return (
        <aside className="beside" aria-labelledby="plan">
            <h2 id="plan">{words.plan.title}</h2>
            {one.plan.length ? (
                <ol className="same">
                    {one.plan.map(({ step, medium, afterHours }, i) => (
                        <li key={`${i} ${step}`} aria-current={i === next ? 'step' : undefined}>
                            <Status {...(i < read ? { glyph: 'ready', tone: 'ready' }
                                : { glyph: 'progress', tone: 'progress' })}>{step}</Status>
                            <span className="caption">
                                {[medium, words.plan.after(afterHours),
                                    i < read ? words.plan.done : i === next ? words.plan.next : '']
                                    .filter(Boolean).join(', ')}
                            </span>
                        </li>
                    ))}
                </ol>
            ) : <p className="small quiet">{words.plan.none}</p>}
        </aside>
    );
}

function Opened({ one, tab }: { one: Whole; tab: string }): ReactElement {
    const actions = useMemo(() => allowed(confirmationActions, one), [one]);
    const form = tab === 'step';
    const shown = form ? '' : tab;
    const name = `${one.testCode} ${one.trackingId}`;
    const tabs = [{ id: '', title: words.overview }, ...useRecordTabs({ table: 'sample_test',
        id: one.id, history: '/sample-tests/{id}/history' })];
    const back = (): void => navigate(paths.confirmation(one.id));

    useActions(actions);
    return (
        <>
            <div className="head">
                <h1>{one.testCode} <span className="id">{one.trackingId}</span></h1>
                <StateOf state={one.confirmationStatus} /><Due one={one} />
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            <TabBar label={name} tabs={tabs} at={shown} href={(to) => paths.confirmation(one.id, to)} />
            <TabPane tabs={tabs} at={shown} />
            {shown === '' ? (
                <div className="body record">
                    <Facts one={one} />
                    <div className="pane"><Readings one={one} /></div>
                    <Plan one={one} />
                </div>
            ) : null}
            {form ? <RecordForm definition={stepForm(one.id)} id={null} close={back}
                saved={() => void confirmationsChanged().then(back)} /> : null}
        </>
    );
}

export function ConfirmationRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/confirmations/{id}', { params: { path: { id } } }, { live: 15 });
    const one = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${one ? `${one.testCode} ${one.trackingId}` : words.title}`
            + ` · ${organization.name}`;
    }, [one, organization.name]);
    return (
        <main className="page" id="main">
            {one ? <Opened one={one} tab={tab} />
                : <div className="head"><h1>{words.title}</h1></div>}
            {!one && found.error ? (
                <NotShown problem={found.error} list={paths.confirmations()} title={words.title} />
            ) : null}
            {!one && !found.error ? <Waiting what={words.title} /> : null}
        </main>
    );
}

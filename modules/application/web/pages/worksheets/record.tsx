// SPDX-License-Identifier: Apache-2.0
//
// One worksheet: the values of the method, and who signed them.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { fill } from '../../actions/worksheets.ts';
import type { Worksheet } from '../../actions/worksheets.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Nothing, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { Fields } from './fields.tsx';
import { StateOf } from './list.tsx';
import { Signatures } from './signatures.tsx';

const words = t.worksheets;

function Facts({ one }: { one: Worksheet }): ReactElement {
    const person = usePeople();
    const test = useRead('/sample-tests/{id}', { params: { path: { id: one.sampleTestId } } });
    const sampleId = test.data?.sampleId;
    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">{words.facts}</h2>
            <dl className="stack">
                <div><dt>{words.fact.sample}</dt><dd>
                    {sampleId === undefined ? <span className="id">{one.trackingId}</span>
                        : <Link className="id" href={paths.sample(sampleId)}>{one.trackingId}</Link>}
                </dd></div>
                <div><dt>{words.fact.test}</dt><dd>{test.data?.testName ?? one.testCode}</dd></div>
                <div><dt>{words.fact.template}</dt><dd>{one.templateName}</dd></div>
                <div><dt>{words.fact.begun}</dt><dd>
                    <Moment at={one.createdAt} />{' '}
                    {one.createdBy === null ? null : words.fact.by(person(one.createdBy))}
                </dd></div>
            </dl>
        </section>
    );
}

function Opened({ one, tab }: { one: Worksheet; tab: string }): ReactElement {
    const [dirty, setDirty] = useState(false);
    const name = `${one.testCode} ${one.trackingId}`;
    const tabs = [{ id: '', title: words.overview }, ...useRecordTabs({ table: 'worksheet',
        id: one.id, history: '/worksheets/{id}/history' })];
    return (
        <>
            <div className="head">
                <h1>{one.testCode} <span className="id">{one.trackingId}</span></h1>
                <StateOf status={one.status} />
            </div>
            <TabBar label={name} tabs={tabs} at={tab} href={(to) => paths.worksheet(one.id, to)} />
            <TabPane tabs={tabs} at={tab} />
            {tab === '' ? (
                <div className="body record">
                    <Facts one={one} />
                    <div className="pane"><Fields one={one} dirty={setDirty} /></div>
                    <Signatures one={one} dirty={dirty} />
                </div>
            ) : null}
        </>
    );
}

export function WorksheetRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/worksheets/{id}', { params: { path: { id } } }, { live: 15 });
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
                <NotShown problem={found.error} list={paths.worksheets()} title={words.title} />
            ) : null}
            {!one && !found.error ? <Waiting what={words.title} /> : null}
        </main>
    );
}

// The worksheet of a test: the one that it has, else it can be begun.
export function WorksheetOfTest({ testId }: { testId: number }): ReactElement {
    const found = useRead('/worksheets', { params: { query: { sampleTestId: testId } } });
    const test = useRead('/sample-tests/{id}', { params: { path: { id: testId } } });
    const refused = found.error ?? test.error;
    const [one] = found.data?.data ?? [];
    const begin = (): void => void fill(testId, [])
        .then((id) => navigate(paths.worksheet(id), { replace: true }), tell);

    useEffect(() => {
        if (one) {
            navigate(paths.worksheet(one.id), { replace: true });
        }
    }, [one]);
    return (
        <main className="page" id="main">
            <div className="head"><h1>{words.title}</h1></div>
            {refused ? (
                <NotShown problem={refused} list={paths.worklist()}
                    title={t.bench.worklist.title} />
            ) : null}
            {!refused && !(found.data && test.data) ? <Waiting what={words.title} /> : null}
            {found.data && test.data && !one ? (
                <Nothing title={words.noneOfTest}>
                    <p className="quiet">{words.beginWhat}</p>
                    {may('worksheet.fill')
                        ? <p><Button kind="primary" onPress={begin}>{words.begin}</Button></p> : null}
                </Nothing>
            ) : null}
        </main>
    );
}

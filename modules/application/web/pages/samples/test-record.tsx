// SPDX-License-Identifier: Apache-2.0
//
// The history, signatures, files and comments of one test. What the test is, its line in the
// sample says.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';
import { State } from './tests.tsx';
import type { Test } from './tests.tsx';

function Opened({ test, tab }: { test: Test; tab: string }): ReactElement {
    const { organization } = useSession();
    const trackingId = test.sample?.trackingId ?? '';
    const name = `${test.testCode} ${trackingId}`;
    const tabs = [{ id: '', title: t.record.tabs.overview }, ...useRecordTabs({ id: test.id,
        table: 'sample_test', history: '/sample-tests/{id}/history' })];

    useEffect(() => {
        document.title = `${name} · ${organization.name}`;
    }, [name, organization.name]);
    return (
        <>
            <div className="head">
                <h1>
                    {test.testCode}{' '}
                    <Link className="id" href={paths.testOf(test.sampleId, test.id)}>{trackingId}</Link>
                </h1>
                <State test={test} />
                <span className="quiet cut">
                    {[test.testName, `${valueOf(test)} ${test.unit ?? ''}`.trim()]
                        .filter(Boolean).join(', ')}
                </span>
            </div>
            <TabBar label={name} tabs={tabs} at={tab} href={(to) => to
                ? paths.sampleTest(test.id, to) : paths.testOf(test.sampleId, test.id)} />
            <TabPane tabs={tabs} at={tab} />
        </>
    );
}

export function TestRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const found = useRead('/sample-tests/{id}',
        { params: { path: { id }, query: { include: 'sample' } } }, { live: 30 });
    const test = found.data?.id === id ? found.data : undefined;

    return (
        <main className="page" id="main" tabIndex={-1}>
            {test ? <Opened key={id} test={test} tab={tab} />
                : <div className="head"><h1>{t.samples.title}</h1></div>}
            {!test && found.error ? (
                <NotShown problem={found.error} list={paths.samples()} title={t.samples.title} />
            ) : null}
            {!test && !found.error ? <Waiting what={t.samples.title} /> : null}
        </main>
    );
}

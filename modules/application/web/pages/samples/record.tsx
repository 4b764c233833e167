// SPDX-License-Identifier: Apache-2.0
//
// The whole file of one sample (S4): facts left, tests in the middle, what still blocks
// right.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { amendmentActions } from '../../actions/amendments.tsx';
import { testActions } from '../../actions/sample-tests.ts';
import { sampleActions, samplesChanged } from '../../actions/samples.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { factsForm } from '../../form/facts.ts';
import { RecordForm } from '../../form/form.tsx';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import type { SampleTab } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane } from '../../record/tabs.tsx';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { clock } from '../../texts/time.ts';
import { Readiness } from './columns.tsx';
import { Facts } from './facts.tsx';
import { Findings, kindOf, useReadiness } from './readiness.tsx';
import { useSampleTabs } from './tabs.tsx';
import { Tests } from './tests.tsx';

export type Whole = Read<'/samples/{id}'>;

function Sum({ id, at }: { id: number; at: number }): ReactElement {
    const { organization } = useSession();
    const findings = useReadiness(id).data?.findings ?? [];
    const blocks = findings.filter((finding) => kindOf(finding) === 'blocks').length;
    const todo = findings.filter((finding) => kindOf(finding) === 'todo').length;
    const state = useReadiness(id).data?.releaseState;

    return (
        <div className="statusline" role="status">
            <span>
                {state === 'reported' ? t.sample.reported : null}
                {state && state !== 'reported' ? (blocks + todo
                    ? t.sample.cannotReport(blocks, todo) : t.sample.canReport) : null}
            </span>
            <span className="push quiet nowrap">
                {t.table.upToDate} {at ? clock(new Date(at), organization.timeZone) : ''}
            </span>
        </div>
    );
}

function Beside({ id, acts }: { id: number; acts: Ready[] }): ReactElement {
    const findings = useReadiness(id).data?.findings ?? [];
    const count = (kind: string): number =>
        findings.filter((finding) => kindOf(finding) === kind).length;

    return (
        <aside className="beside" aria-labelledby="readiness">
            <h2 id="readiness">
                {t.sample.readiness}
                <span className="push quiet small">
                    {t.sample.readinessSum(count('blocks'), count('todo'))}
                </span>
            </h2>
            <Findings sampleId={id} acts={acts} />
        </aside>
    );
}

function Opened({ sample, tab, at }: { sample: Whole; tab: SampleTab; at: number }): ReactElement {
    const { tabs, certified } = useSampleTabs(sample);
    const rejected = useReadiness(sample.id).data?.findings
        .some(({ category }) => category === 'approval_rejected') ?? false;
    const actions = useMemo(() => [...allowed(testActions, sample),
        ...allowed(amendmentActions, sample), ...allowed(sampleActions,
            // As lists flag it.
            [rejected ? { ...sample, flags: ['approval_rejected'] } : sample])]
        // A certificate that is there is replaced by an amendment alone.
        .filter(({ id }) => id !== 'certificate.issue' || !certified),
    [sample, certified, rejected]);
    const editing = tab === 'edit';
    const shown = editing ? 'overview' : tab;
    const back = (): void => navigate(paths.sample(sample.id));

    useActions(actions);
    return (
        <>
            <div className="head">
                <h1 className="id">{sample.trackingId}</h1>
                <Readiness sample={sample} />
                <span className="quiet cut">
                    {sample.amendment ? t.amendments.open(sample.amendment.reason)
                        : sample.sampleIdentifier === sample.trackingId ? ''
                            : sample.sampleIdentifier}
                </span>
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            <TabBar label={t.sample.tabsOf(sample.trackingId)} tabs={tabs} at={shown}
                href={(to) => paths.sample(sample.id, to)} />
            {shown === 'overview' ? (
                <div className="body record">
                    <Facts sample={sample} />
                    <div className="pane"><Tests sample={sample} /></div>
                    <Beside id={sample.id} acts={actions} />
                </div>
            ) : <TabPane tabs={tabs} at={shown} />}
            <Sum id={sample.id} at={at} />
            {editing ? <RecordForm definition={factsForm} id={sample.id} close={back}
                saved={() => {
                    void samplesChanged();
                    back();
                }} /> : null}
        </>
    );
}

export function SampleRecord({ id, tab }: { id: number; tab: SampleTab }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/samples/{id}', { params: { path: { id } } }, { live: 15 });
    const sample = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${sample?.trackingId ?? t.samples.title} · ${organization.name}`;
    }, [sample?.trackingId, organization.name]);
    return (
        <main className="page" id="main">
            {sample ? <Opened sample={sample} tab={tab} at={found.dataUpdatedAt} />
                : <div className="head"><h1>{t.samples.title}</h1></div>}
            {!sample && found.error ? (
                <NotShown problem={found.error} list={paths.samples()} title={t.samples.title} />
            ) : null}
            {!sample && !found.error ? <Waiting what={t.samples.title} /> : null}
        </main>
    );
}

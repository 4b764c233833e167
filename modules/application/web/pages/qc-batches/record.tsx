// SPDX-License-Identifier: Apache-2.0
//
// One QC batch (S8): its controls, and the tests that it covers.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import type { CoveredTest } from '../../actions/covering.ts';
import { batchesChanged } from '../../actions/make-batch.ts';
import { batchActions } from '../../actions/qc-batches.ts';
import type { QcBatch } from '../../actions/qc-batches.ts';
import { rowsOf, useDefinitions, useInstruments, usePeople } from '../../api/names.ts';
import { AT_ONCE } from '../../api/pages.ts';
import { useRead, useWhole } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { Package } from '../../record/package.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { Link, navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
import { Controls } from './controls.tsx';
import { CorrectControl } from './correct.tsx';
import { Covered } from './covered.tsx';
import { batchForm, controlForm } from './forms.ts';
import { BatchStatus } from './status.tsx';
import { titleOf } from './values.ts';

const texts = t.batches;
const none: never[] = [];

function About({ batch }: { batch: QcBatch }): ReactElement {
    const instrument = useInstruments().get(batch.instrumentId ?? 0);
    const person = usePeople();
    const said = [
        batch.method, batch.analysisDate ? dayOf(batch.analysisDate) : '', instrument?.code,
        batch.evaluatedBy === null ? texts.madeBy(person(batch.createdBy))
            : texts.evaluatedBy(person(batch.evaluatedBy)),
        batch.overrideBy === null ? ''
            : texts.overridden(person(batch.overrideBy), batch.overrideReason ?? ''),
    ].filter(Boolean).join(', ');
    return (
        <>
            <span className="quiet cut" title={said}>{said}</span>
            {batch.fileId === null ? null : (
                <Link className="small" href={paths.instrumentFile(batch.fileId)}>
                    {texts.fromFile}
                </Link>
            )}
        </>
    );
}

function Correction({ batch }: { batch: QcBatch }): ReactElement | null {
    const { searchParams } = useAddress();
    const definitions = useDefinitions();
    const control = batch.controls.find(({ id }) => String(id) === searchParams.get('correct'));
    return control ? (
        <CorrectControl id={control.id} close={() => navigate(paths.qcBatch(batch.id))}
            name={titleOf(control, definitions.get(control.testDefinitionId ?? 0)?.code ?? '')} />
    ) : null;
}

function AddControl({ batch }: { batch: QcBatch }): ReactElement {
    const back = (): void => navigate(paths.qcBatch(batch.id));
    return (
        <RecordForm definition={controlForm} id={null} note={batch.batchNumber}
            initial={{ qcBatchId: batch.id }} close={back}
            saved={() => void batchesChanged().then(back)} />
    );
}

function ChangeBatch({ batch }: { batch: QcBatch }): ReactElement {
    const back = (): void => navigate(paths.qcBatch(batch.id));
    return (
        <RecordForm definition={batchForm(batch.qcTemplateId !== null)} id={batch.id} close={back}
            saved={() => void batchesChanged().then(back)} />
    );
}

function Opened({ batch, tab }: { batch: QcBatch; tab: string }): ReactElement {
    const covered = useWhole('/sample-tests', rowsOf<CoveredTest>, { live: 30,
        query: { qcBatchId: batch.id, include: 'sample', limit: AT_ONCE } });
    const tests = covered.isPlaceholderData ? none : covered.data ?? none;
    const shown = tab === 'control' || tab === 'edit' ? 'controls' : tab;
    const actions = useMemo(() => allowed(batchActions, { batch, tests }), [batch, tests]);
    const failed = batch.controls.filter(({ passed }) => passed === false).length;
    const waiting = batch.controls.filter(({ passed }) => passed === null).length;
    const tabs = [
        { id: 'controls', title: texts.tabs.controls, count: String(batch.controls.length) },
        ...useRecordTabs({ table: 'qc_batch', id: batch.id, history: '/qc-batches/{id}/history' }),
    ];

    useActions(actions);
    return (
        <>
            <div className="head">
                <h1>{batch.batchNumber}</h1><BatchStatus batch={batch} />
                <About batch={batch} />
                <span className="push" />
                <ActBar actions={actions} />
                <Package of={`/qc-batches/${batch.id}`} />
            </div>
            <TabBar label={texts.tabsOf(batch.batchNumber)} tabs={tabs} at={shown}
                href={(id) => paths.qcBatch(batch.id, id)} />
            <TabPane tabs={tabs} at={shown} />
            {shown === 'controls' ? (
                <div className="body">
                    <div className="pane">
                        <Controls key={batch.id} batch={batch} correct={({ id }) =>
                            navigate(paths.qcBatch(batch.id, 'controls', `?correct=${id}`))} />
                    </div>
                    <Covered batch={batch} tests={tests} />
                </div>
            ) : null}
            <div className="statusline" role="status">
                {texts.sum(failed, waiting, batch.controls.length)}
            </div>
            <Correction batch={batch} />
            {tab === 'control' ? <AddControl batch={batch} /> : null}
            {tab === 'edit' ? <ChangeBatch batch={batch} /> : null}
        </>
    );
}

export function BatchRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/qc-batches/{id}', { params: { path: { id } } }, { live: 15 });
    const batch = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${batch?.batchNumber ?? texts.title} · ${organization.name}`;
    }, [batch?.batchNumber, organization.name]);
    return (
        <main className="page" id="main">
            {batch ? <Opened batch={batch} tab={tab} />
                : <div className="head"><h1>{texts.title}</h1></div>}
            {!batch && found.error ? (
                <NotShown problem={found.error} list={paths.qcBatches()} title={texts.title} />
            ) : null}
            {!batch && !found.error ? <Waiting what={texts.title} /> : null}
        </main>
    );
}

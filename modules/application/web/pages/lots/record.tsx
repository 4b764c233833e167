// SPDX-License-Identifier: Apache-2.0
//
// One lot: its data, the tests of a medium, the results made with it, and the reach of a recall.
import { useEffect, useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { lotActions, lotsChanged } from '../../actions/lots.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { isMedia, kindOf } from '../../nouns/lot.ts';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import type { LotKind } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { navigate } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { capital } from '../../texts/capital.ts';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
import { Qc, Usable } from './columns.tsx';
import { lotForms, testForm } from './forms.ts';
import { Reached, Recall } from './recall.tsx';

type WholeMedia = Read<'/media-lots/{id}'>;
type Whole = Read<'/reagent-lots/{id}'> | WholeMedia;

const facts = t.lots.fact;

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement | null {
    return children ? <div><dt>{name}</dt><dd>{children}</dd></div> : null;
}

function Facts({ lot }: { lot: Whole }): ReactElement {
    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">{t.lots.facts}</h2>
            <dl className="stack">
                <Fact name={facts.lot}><span className="id">{lot.lotNumber}</span></Fact>
                {isMedia(lot) ? <Fact name={facts.medium}>{lot.medium}</Fact> : null}
                <Fact name={facts.supplier}>{lot.supplier}</Fact>
                {isMedia(lot) && lot.preparedOn
                    ? <Fact name={facts.prepared}>{dayOf(lot.preparedOn)}</Fact> : null}
                <Fact name={facts.usable}><Usable lot={lot} alone /></Fact>
                <Fact name={facts.expires}>{lot.expiresOn ? dayOf(lot.expiresOn) : null}</Fact>
                <Fact name={facts.opened}>
                    {lot.openedOn ? dayOf(lot.openedOn) : t.lots.notOpened}
                </Fact>
                <Fact name={facts.days}>{lot.useDaysAfterOpening}</Fact>
                <Fact name={facts.quarantine}>
                    {lot.qcStatus === 'quarantined' ? lot.quarantineReason : null}
                </Fact>
                <Fact name={facts.notes}>{lot.notes}</Fact>
            </dl>
        </section>
    );
}

function Tests({ lot }: { lot: WholeMedia }): ReactElement {
    const person = usePeople();
    const words = t.lots.test;
    return (
        <section aria-labelledby="tests">
            <h2 id="tests" className="part">{t.lots.tests}</h2>
            <PlainTable label={t.lots.tests} none={t.lots.noTests}
                found={{ data: { data: lot.tests }, error: null }} columns={[
                    { title: words.kind, className: 'w-id',
                        cell: (one) => capital(words.kinds[one.kind]) },
                    { title: words.organism, className: 'wrap', cell: (one) => one.organism },
                    { title: words.inoculum, className: 'w-code right',
                        cell: (one) => one.inoculumCfu },
                    { title: words.recovery, className: 'w-due right', cell: (one) =>
                        one.recoveryPercent === null ? null : t.lots.percent(one.recoveryPercent) },
                    { title: words.outcome, className: 'w-due',
                        cell: (one) => <Qc status={one.outcome} /> },
                    { title: words.on, className: 'w-short',
                        cell: (one) => one.performedOn ? dayOf(one.performedOn) : null },
                    { title: words.by, className: 'w-name p3', cell: (one) => person(one.performedBy) },
                    { title: words.notes, className: 'w-long p4', cell: (one) => one.notes },
                ]} />
        </section>
    );
}

function Opened({ lot, tab }: { lot: Whole; tab: string }): ReactElement {
    const kind = kindOf(lot);
    const tabs = [{ id: '', title: t.lots.overview },
        ...useRecordTabs({ table: `${kind}_lot`, id: lot.id, history: `/${kind}-lots/{id}/history` })];
    const form = tab === 'edit' ? lotForms[kind]
        : tab === 'test' && isMedia(lot) ? testForm(lot.id) : null;
    const actions = useMemo(() => allowed(lotActions, [lot]), [lot]);
    useActions(actions);
    return (
        <>
            <div className="head">
                <h1 className="id">{lot.code}</h1>
                <Qc status={lot.qcStatus} />
                <span className="quiet cut">{lot.name}</span>
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            <TabBar label={lot.code} tabs={tabs} at={form ? '' : tab} href={(one) =>
                paths.lot(kind, lot.id, one)} />
            <TabPane tabs={tabs} at={tab} />
            {form ? <RecordForm definition={form} id={tab === 'edit' ? lot.id : null}
                close={() => navigate(paths.lot(kind, lot.id))}
                saved={() => void lotsChanged().then(() => navigate(paths.lot(kind, lot.id)))} />
                : null}
            {tab === '' || form ? <div className="body record">
                <Facts lot={lot} />
                <div className="pane">
                    {isMedia(lot) ? <Tests lot={lot} /> : null}
                    <Recall lot={lot} />
                </div>
                <Reached lot={lot} />
            </div> : null}
        </>
    );
}

function useLot(kind: LotKind, id: number) {
    const asked = { params: { path: { id } } };
    const reagent = useRead('/reagent-lots/{id}', asked, { live: 30, enabled: kind === 'reagent' });
    const media = useRead('/media-lots/{id}', asked, { live: 30, enabled: kind === 'media' });
    return kind === 'media' ? media : reagent;
}

export function LotRecord({ kind, id, tab }: {
    kind: LotKind; id: number; tab: string;
}): ReactElement {
    const { organization } = useSession();
    const found = useLot(kind, id);
    const lot = found.data?.id === id && kindOf(found.data) === kind ? found.data : undefined;
    const title = t.lots.titles[kind];

    useEffect(() => {
        document.title = `${lot?.code ?? title} · ${organization.name}`;
    }, [lot?.code, title, organization.name]);
    return (
        <main className="page" id="main">
            {lot ? <Opened lot={lot} tab={tab} /> : <div className="head"><h1>{title}</h1></div>}
            {!lot && found.error ? (
                <NotShown problem={found.error} list={paths.lots(kind)} title={title} />
            ) : null}
            {!lot && !found.error ? <Waiting what={title} /> : null}
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// One version of a certificate: the document, the items it lacks, its other versions, its
// differences from the version before, and the amendment that corrects it.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { amendmentActions } from '../../actions/amendments.tsx';
import { certificateActions } from '../../actions/certificates.ts';
import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import type { Tab } from '../../record/tabs.tsx';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { Changes, Next } from './changes.tsx';
import { Completeness } from './completeness.tsx';
import { contentOf } from './content.ts';
import { nameOf } from './list.tsx';
import type { Certificate } from './list.tsx';
import { useContent } from './preview.tsx';
import { Sheet } from './sheet.tsx';
import { PdfFacts, SentTo, StateOf } from './states.tsx';

const { certificates: words } = t.release;

function Versions({ of }: { of: Certificate }): ReactElement {
    const found = useRead('/certificates', { params: { query: { sampleId: of.sampleId, limit: 100 } } });
    return (
        <ul className="findings">
            {(found.data?.data ?? []).map((one) => (
                <li key={one.id} aria-current={one.id === of.id ? 'true' : undefined}>
                    {one.status === 'issued' ? <Glyph name="reported" tone="reported" />
                        : <span className="glyph" />}
                    <div>
                        <p><Link href={paths.certificate(one.id)}>{nameOf(one)}</Link></p>
                        <span className="quiet">
                            {words.status[one.status]} <Moment at={one.issuedAt} />
                        </span>
                        {one.amendment ? <p className="quiet">{one.amendment}</p> : null}
                    </div>
                </li>
            ))}
        </ul>
    );
}

function Overview({ of }: { of: Certificate }): ReactElement {
    const found = useContent(of.id);
    return (
        <div className="body">
            <div className="pane">
                {found.data ? <Sheet content={contentOf(found.data)} /> : null}
                {!found.data && found.error ? <Refused problem={found.error} /> : null}
            </div>
            <aside className="peek" aria-labelledby="complete">
                <h2 id="complete">{words.complete}</h2>
                {found.data ? <Completeness content={contentOf(found.data)} /> : null}
                <h2>{words.versions}</h2>
                <Versions of={of} />
                <h2>{words.document.title}</h2>
                <PdfFacts of={of} />
                <h2>{words.sent.to}</h2>
                <SentTo of={of} />
            </aside>
        </div>
    );
}

// The sample is what is amended: by the last version of its certificate.
function useAmending(of: Certificate): { amended: string | undefined; actions: Ready[] } {
    const found = useRead('/samples/{id}', { params: { path: { id: of.sampleId } } }, { live: 30 });
    const sample = found.data?.id === of.sampleId && of.status === 'issued' ? found.data : undefined;
    const actions = useMemo(() => [...allowed(certificateActions, of),
        ...sample ? allowed(amendmentActions, sample) : []], [of, sample]);

    useActions(actions);
    return { amended: sample?.amendment?.reason, actions };
}

function Opened({ of, tab }: { of: Certificate; tab: string }): ReactElement {
    const { organization } = useSession();
    const { amended, actions } = useAmending(of);
    const rest = useRecordTabs({ id: of.id, table: 'certificate', history: '/certificates/{id}/history' });
    const tabs: Tab[] = [
        { id: '', title: words.tabs.sheet },
        { id: 'changes', title: words.tabs.changes, page: () => <Changes of={of} /> },
        ...(amended === undefined ? []
            : [{ id: 'next', title: t.amendments.next, page: () => <Next of={of} /> }]),
        ...rest,
    ];

    useEffect(() => {
        document.title = `${nameOf(of)} · ${organization.name}`;
    }, [of, organization.name]);
    return (
        <>
            <div className="head">
                <h1 className="id">{of.certificateNumber}</h1>
                <StateOf status={of.status}>
                    {words.status[of.status]}, {t.sample.version(of.version)}
                </StateOf>
                <span className="quiet cut">
                    {amended === undefined ? of.clientName : t.amendments.open(amended)}
                </span>
                <span className="push" />
                <ActBar actions={actions} />
                <Link className="btn" href={paths.sample(of.sampleId)}>{words.toSample}</Link>
            </div>
            <TabBar label={nameOf(of)} tabs={tabs} at={tab}
                href={(to) => paths.certificate(of.id, to)} />
            {tab === '' ? <Overview of={of} /> : <TabPane tabs={tabs} at={tab} />}
        </>
    );
}

export function CertificateRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const found = useRead('/certificates/{id}', { params: { path: { id } } }, { live: 30 });
    const of = found.data?.id === id ? found.data : undefined;

    return (
        <main className="page" id="main" tabIndex={-1}>
            {of ? <Opened key={id} of={of} tab={tab} /> : (
                <>
                    <div className="head"><h1>{words.title}</h1></div>
                    {found.error ? (
                        <NotShown problem={found.error} list={paths.certificates()}
                            title={words.title} />
                    ) : <Waiting what={words.title} />}
                </>
            )}
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The tabs of a sample: what was decided, found and issued, and what every record has. Who
// was told of it stands in its history.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { usePeople } from '../../api/names.ts';
import { may } from '../../api/session.ts';
import { PhaseOf } from '../../nouns/investigation.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import type { Line } from '../../record/history.tsx';
import { FIRST, More, useLimit } from '../../record/more.tsx';
import { countOf, useRecordTabs } from '../../record/tabs.tsx';
import type { Tab } from '../../record/tabs.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { Completeness } from '../certificates/completeness.tsx';
import { contentOf } from '../certificates/content.ts';
import { Preview, usePreview } from '../certificates/preview.tsx';
import { Pdf, Sent, StateOf } from '../certificates/states.tsx';
import type { Whole } from './record.tsx';

const { columnsOf: words, tabs: titles } = t.sample;
const live = { live: 15 };

const useApprovals = (id: number, limit = FIRST) =>
    useRead('/samples/{id}/approvals', { params: { path: { id }, query: { limit } } }, live);
const useInvestigations = (sampleId: number, limit = FIRST) =>
    useRead('/investigations', { params: { query: { sampleId, limit } } }, live);
const useCertificates = (sampleId: number, limit = FIRST) =>
    useRead('/certificates', { params: { query: { sampleId, limit } } }, live);
const useEvents = (id: number) =>
    useRead('/samples/{id}/events', { params: { path: { id }, query: { limit: 100 } } }, live);

const decidedApprovals: Record<'pending' | 'approved' | 'rejected', Extract<Tone, GlyphName>> = {
    pending: 'progress', approved: 'ready', rejected: 'blocked',
};

function Approvals({ id }: { id: number }): ReactElement {
    const person = usePeople();
    const shown = useLimit();
    const found = useApprovals(id, shown.limit);
    return (
        <>
            <PlainTable label={titles.approvals} none={t.sample.noApprovals} found={found} columns={[
                { title: words.step, className: 'wrap', cell: (one) => may('approval.decide')
                    ? <Link href={paths.approval(one.id)}>{one.step}. {one.name}</Link>
                    : `${one.step}. ${one.name}` },
                { title: t.sample.rounds(0).split(' ')[0] ?? '', className: 'w-short',
                    cell: (one) => one.round },
                { title: words.state, className: 'w-state', cell: (one) => (
                    <Status glyph={decidedApprovals[one.status]} tone={decidedApprovals[one.status]}>
                        {t.sample.approval[one.status]}
                    </Status>
                ) },
                { title: words.asked, className: 'w-when', cell: (one) => <Moment at={one.requestedAt} /> },
                { title: words.decided, className: 'w-when',
                    cell: (one) => one.decidedAt ? <Moment at={one.decidedAt} /> : null },
                { title: words.by, className: 'w-who', cell: (one) => person(one.decidedBy) },
                { title: words.comment, className: 'wrap', cell: (one) => one.comment },
            ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
        </>
    );
}

function Investigations({ id }: { id: number }): ReactElement {
    const shown = useLimit();
    const found = useInvestigations(id, shown.limit);
    return (
        <>
            <PlainTable label={titles.investigations} none={t.sample.noInvestigations} found={found}
                columns={[
                    { title: words.number, className: 'w-id id', cell: (one) => (
                        <Link href={paths.investigation(one.id)}>{one.investigationNumber}</Link>
                    ) },
                    { title: words.title, className: 'wrap', cell: (one) => one.title },
                    { title: words.state, className: 'w-state', cell: (one) => <PhaseOf phase={one.status} /> },
                    { title: words.opened, className: 'w-when', cell: (one) => <Moment at={one.openedAt} /> },
                    { title: words.due, className: 'w-due',
                        cell: (one) => one.dueDate ? dayOf(one.dueDate) : null },
                ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
        </>
    );
}

// Draft of the next version of the certificate, and the items that it lacks.
function Draft({ id }: { id: number }): ReactElement {
    const found = usePreview(id);
    return (
        <>
            <h2 className="part">{t.amendments.draft}</h2>
            {found.data ? (
                <div className="section"><Completeness content={contentOf(found.data)} /></div>
            ) : null}
            <Preview sampleId={id} />
        </>
    );
}

function Certificates({ id, amended }: { id: number; amended: boolean }): ReactElement {
    const person = usePeople();
    const shown = useLimit();
    const found = useCertificates(id, shown.limit);
    return (
        <>
            <PlainTable label={titles.certificates} none={t.sample.noCertificates} found={found}
                columns={[
                    { title: words.number, className: 'w-id id', cell: (one) => (
                        <Link href={paths.certificate(one.id)}>{one.certificateNumber}</Link>
                    ) },
                    { title: words.state, className: 'w-name',
                        cell: (one) => <StateOf status={one.status} /> },
                    { title: words.version, className: 'w-short', cell: (one) => one.version },
                    { title: words.issued, className: 'w-when',
                        cell: (one) => <Moment at={one.issuedAt} /> },
                    { title: words.by, className: 'w-name', cell: (one) => person(one.issuedBy) },
                    { title: t.release.certificates.document.title, className: 'w-state',
                        cell: (one) => <Pdf of={one} /> },
                    { title: words.sent, className: 'w-when p2', cell: (one) => <Sent of={one} /> },
                    { title: words.reason, cell: (one) => one.amendment },
                ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
            {amended || found.data?.data.length === 0 ? <Draft id={id} /> : null}
        </>
    );
}

// Events with who was told, as lines of the history.
function useTold(id: number): Line[] {
    const events = useEvents(id).data?.data ?? [];
    return events.map((event) => ({
        id: `event-${event.id}`,
        at: event.createdAt,
        person: null,
        what: t.sample.told(event.type, event.deliveries.map(({ endpointName, state }) =>
            `${endpointName} (${t.sample.delivery[state]})`)),
    }));
}

interface Opened {
    tabs: Tab[];
    // Whether a certificate of it was issued.
    certified: boolean;
}

export function useSampleTabs({ id, amendment }: Whole): Opened {
    const approvals = useApprovals(id);
    const investigations = useInvestigations(id);
    const certificates = useCertificates(id);
    const rest = useRecordTabs({ id, table: 'sample', history: '/samples/{id}/history' },
        useTold(id));

    const tabs: Tab[] = [
        { id: 'overview', title: t.record.tabs.overview },
        { id: 'approvals', title: titles.approvals, count: countOf(approvals.data),
            page: () => <Approvals id={id} /> },
        { id: 'investigations', title: titles.investigations, count: countOf(investigations.data),
            page: () => <Investigations id={id} /> },
        { id: 'certificates', title: titles.certificates, count: countOf(certificates.data),
            page: () => <Certificates id={id} amended={amendment !== null} /> },
        ...rest,
    ];
    return { tabs, certified: (certificates.data?.data.length ?? 0) > 0 };
}

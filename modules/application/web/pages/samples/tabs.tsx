// SPDX-License-Identifier: Apache-2.0
//
// The tabs of a sample: what was decided, found, issued, changed, signed, attached, said
// and told about it.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { tell } from '../../actions/action.ts';
import { answer, api } from '../../api/client.ts';
import { changed, useRead } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import type { SampleTab } from '../../paths.ts';
import { PlainTable } from '../../table/plain-table.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { usePeople } from './names.ts';
import type { Whole } from './record.tsx';

type TabPage = (properties: { sample: Whole }) => ReactElement;

const { columnsOf: words, tabs: titles } = t.sample;
const live = { live: 15 };

const decided: Record<'pending' | 'approved' | 'rejected', Extract<Tone, GlyphName>> = {
    pending: 'progress', approved: 'ready', rejected: 'blocked',
};

function Approvals({ sample }: { sample: Whole }): ReactElement {
    const person = usePeople();
    const found = useRead('/samples/{id}/approvals',
        { params: { path: { id: sample.id }, query: { limit: 100 } } }, live);
    return (
        <PlainTable label={titles.approvals} none={t.sample.noApprovals} found={found} columns={[
            { title: words.step, cell: (one) => `${one.step}. ${one.name}` },
            { title: t.sample.rounds(0).split(' ')[0] ?? '', className: 'w-short',
                cell: (one) => one.round },
            { title: words.state, className: 'w-state', cell: (one) => (
                <Status glyph={decided[one.status]} tone={decided[one.status]}>
                    {t.sample.approval[one.status]}
                </Status>
            ) },
            { title: words.asked, className: 'w-when', cell: (one) => <Moment at={one.requestedAt} /> },
            { title: words.decided, className: 'w-when',
                cell: (one) => one.decidedAt ? <Moment at={one.decidedAt} /> : null },
            { title: words.by, className: 'w-who', cell: (one) => person(one.decidedBy) },
            { title: words.comment, cell: (one) => one.comment },
        ]} />
    );
}

function Investigations({ sample }: { sample: Whole }): ReactElement {
    const found = useRead('/investigations', { params: { query: { sampleId: sample.id } } }, live);
    return (
        <PlainTable label={titles.investigations} none={t.sample.noInvestigations} found={found}
            columns={[
                { title: words.number, className: 'w-id id', cell: (one) => one.investigationNumber },
                { title: words.title, cell: (one) => one.title },
                { title: words.state, className: 'w-state',
                    cell: (one) => one.status.replaceAll('_', ' ') },
                { title: words.opened, className: 'w-when', cell: (one) => <Moment at={one.openedAt} /> },
                { title: words.due, className: 'w-due',
                    cell: (one) => one.dueDate ? dayOf(one.dueDate) : null },
            ]} />
    );
}

function Certificates({ sample }: { sample: Whole }): ReactElement {
    const person = usePeople();
    const found = useRead('/certificates', { params: { query: { sampleId: sample.id } } }, live);
    return (
        <PlainTable label={titles.certificates} none={t.sample.noCertificates} found={found}
            columns={[
                { title: words.number, className: 'w-long id', cell: (one) => one.certificateNumber },
                { title: words.state, cell: (one) => (
                    <>
                        <Status glyph="reported" tone="reported">
                            {t.sample.certificate[one.status]}
                        </Status>, {t.sample.version(one.version)}
                    </>
                ) },
                { title: words.issued, className: 'w-when', cell: (one) => <Moment at={one.issuedAt} /> },
                { title: words.by, className: 'w-who', cell: (one) => person(one.issuedBy) },
                { title: words.reason, cell: (one) => one.amendment },
            ]} />
    );
}

function History({ sample }: { sample: Whole }): ReactElement {
    const found = useRead('/samples/{id}/history',
        { params: { path: { id: sample.id }, query: { limit: 100 } } }, live);
    return (
        <PlainTable label={titles.history} none={t.sample.noHistory} found={found} columns={[
            { title: words.when, className: 'w-when', cell: (one) => <Moment at={one.occurredAt} /> },
            { title: words.by, className: 'w-who', cell: (one) => one.person },
            { title: words.what, className: 'wrap', cell: (one) => one.sentence },
        ]} />
    );
}

function Signatures({ sample }: { sample: Whole }): ReactElement {
    const found = useRead('/signatures',
        { params: { query: { table: 'sample', recordId: sample.id } } }, live);
    return (
        <PlainTable label={titles.signatures} none={t.sample.noSignatures} found={found} columns={[
            { title: words.signer, className: 'w-who', cell: (one) => one.printedName },
            { title: words.meaning, className: 'w-state', cell: (one) => one.meaning },
            { title: words.when, className: 'w-when', cell: (one) => <Moment at={one.signedAt} /> },
            { title: words.reason, cell: (one) => one.reason },
            { title: words.state, className: 'w-state', cell: (one) => one.stands === null ? null
                : one.stands ? t.sample.stands : t.sample.changedSince },
        ]} />
    );
}

function Files({ sample }: { sample: Whole }): ReactElement {
    const person = usePeople();
    const found = useRead('/attachments',
        { params: { query: { table: 'sample', recordId: sample.id } } }, live);
    return (
        <PlainTable label={titles.files} none={t.sample.noFiles} found={found} columns={[
            { title: words.file, cell: (one) => (
                <a href={paths.download(`/attachments/${one.id}/content`)} download>{one.fileName}</a>
            ) },
            { title: words.size, className: 'w-when right',
                cell: (one) => `${one.size.toLocaleString()} B` },
            { title: words.added, className: 'w-when', cell: (one) => <Moment at={one.createdAt} /> },
            { title: words.by, className: 'w-who', cell: (one) => person(one.addedBy) },
            { title: words.reason, cell: (one) => one.withdrawalReason },
        ]} />
    );
}

function AddComment({ sample }: { sample: Whole }): ReactElement {
    const [text, setText] = useState('');
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        answer(api.POST('/comments', { body: { on: { table: 'sample', id: sample.id }, text } }))
            .then(async () => {
                setText('');
                say({ tone: 'ready', text: t.sample.commented });
                await changed('/comments');
            }).catch(tell);
    };
    return (
        <form className="again" onSubmit={submit}>
            <p className="field">
                <label htmlFor="comment">{t.sample.comment}</label>
                <textarea id="comment" value={text} rows={3} maxLength={4000} required
                    onChange={({ target }) => setText(target.value)} />
            </p>
            <p><Button type="submit">{t.sample.commentAct}</Button></p>
        </form>
    );
}

function Comments({ sample }: { sample: Whole }): ReactElement {
    const person = usePeople();
    const found = useRead('/comments',
        { params: { query: { table: 'sample', recordId: sample.id } } }, live);
    return (
        <>
            {may('note.add') ? <AddComment sample={sample} /> : null}
            <PlainTable label={titles.comments} none={t.sample.noComments} found={found} columns={[
                { title: words.when, className: 'w-when', cell: (one) => <Moment at={one.createdAt} /> },
                { title: words.by, className: 'w-who', cell: (one) => person(one.by) },
                { title: words.comment, className: 'wrap', cell: (one) => one.text },
            ]} />
        </>
    );
}

function Events({ sample }: { sample: Whole }): ReactElement {
    const found = useRead('/samples/{id}/events',
        { params: { path: { id: sample.id }, query: { limit: 100 } } }, live);
    return (
        <PlainTable label={titles.events} none={t.sample.noEvents} found={found} columns={[
            { title: words.when, className: 'w-when', cell: (one) => <Moment at={one.createdAt} /> },
            { title: words.event, className: 'w-long', cell: (one) => one.type },
            { title: words.who, cell: (one) => one.deliveries.map((delivery) =>
                `${delivery.endpointName}: ${t.sample.delivery[delivery.state]}`).join(', ') },
        ]} />
    );
}

export const tabs: Record<Exclude<SampleTab, 'overview'>, TabPage> = {
    approvals: Approvals, investigations: Investigations, certificates: Certificates,
    history: History, signatures: Signatures, files: Files, comments: Comments, events: Events,
};

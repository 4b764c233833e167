// SPDX-License-Identifier: Apache-2.0
//
// Facts about a sample. A fact is edited in place: Enter or F2 on it, and Enter again.
import { useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';

import { samplesChanged } from '../../actions/samples.ts';
import { useNames, usePeople, useStorageLocations } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { factsOf } from '../../form/facts.ts';
import { InlineForm } from '../../form/form.tsx';
import { isOpen } from '../../nouns/sample.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { dayIn } from '../../texts/local-time.ts';
import { dayOf, daysBetween } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { Collected } from './columns.tsx';
import type { Whole } from './record.tsx';

interface Properties {
    name: string;
    rest?: boolean;
    // The members that can be changed here.
    members?: string[];
    children: ReactNode;
}

type FactOf = (properties: Properties) => ReactElement;

function Fact({ name, rest, children }: Properties): ReactElement | null {
    return children === '' || children == null ? null : (
        <div className={rest ? 'rest' : undefined}><dt>{name}</dt><dd>{children}</dd></div>
    );
}

function Changeable({ name, rest, children, change }: Properties & {
    change: () => void;
}): ReactElement {
    const press = (event: KeyboardEvent): void => {
        if (event.key === 'F2') {
            event.preventDefault();
            change();
        }
    };
    return (
        <Fact name={name} {...(rest ? { rest } : {})}>
            <button type="button" className="fact" onClick={change} onKeyDown={press}
                title={t.sample.changeFact(name)}>
                {children || t.none}<span className="unseen"> {t.sample.changeFact(name)}</span>
            </button>
        </Fact>
    );
}

function useFact(sample: Whole): FactOf {
    const [changing, setChanging] = useState('');
    const open = may('sample.edit') && isOpen(sample);
    const close = (): void => setChanging('');

    return (properties) => {
        const { name, members } = properties;
        if (!members || !open) {
            return <Fact {...properties} />;
        }
        return changing === name ? (
            <div>
                <dt className="unseen">{name}</dt>
                <dd>
                    <InlineForm definition={factsOf(members, name)} id={sample.id} close={close}
                        saved={() => {
                            void samplesChanged();
                            close();
                        }} />
                </dd>
            </div>
        ) : <Changeable {...properties} change={() => setChanging(name)} />;
    };
}

function receiptOf({ receipt }: Whole): string {
    return [
        receipt?.temperature == null ? '' : t.sample.celsius(receipt.temperature),
        receipt?.condition ?? '',
        receipt?.containers == null ? '' : t.sample.containers(receipt.containers),
        receipt?.deviations ?? '',
    ].filter(Boolean).join(', ');
}

function OrderOf({ id }: { id: number }): ReactElement {
    const order = useRead('/orders/{id}', { params: { path: { id } } }).data;
    return <Link className="id" href={paths.order(id)}>{order?.orderNumber ?? t.sample.toOrder}</Link>;
}

// The day on which the report is due, and how far that is.
function DueIn({ sample }: { sample: Whole }): ReactElement {
    const { organization } = useSession();
    const { dueDate, priority, status } = sample;
    const days = dueDate === null || status === 'reported' ? null
        : daysBetween(dayIn(organization.timeZone, Date.now()), dueDate);
    return (
        <>
            {[dueDate ? dayOf(dueDate) : '', days === null ? '' : t.sample.dueIn(days)]
                .filter(Boolean).join(', ')}{' '}
            {priority === 'routine' ? null : <strong>{t.samples.priority[priority]}</strong>}
        </>
    );
}

// Findings on receipt and the disposition of the sample, which are not changed here.
function Past({ sample }: { sample: Whole }): ReactElement {
    const person = usePeople();
    const receiver = person(sample.receipt?.receivedBy ?? null);
    const receipt = receiptOf(sample);
    return (
        <>
            <Fact name={t.sample.received}>
                {sample.receivedAt ? <Moment at={sample.receivedAt} /> : t.sample.notYet}
                {receiver ? ` ${t.sample.by(receiver)}` : ''}
            </Fact>
            {receipt ? <Fact name={t.sample.receipt}>{receipt}</Fact> : null}
            {sample.orderId === null ? null : (
                <Fact name={t.sample.order}>
                    <OrderOf id={sample.orderId} />
                </Fact>
            )}
            {sample.reportedAt ? (
                <Fact name={t.sample.reported}><Moment at={sample.reportedAt} /></Fact>
            ) : null}
            {sample.disposition === 'active' ? null : (
                <Fact name={t.sample.disposition}>
                    {t.samples.disposition[sample.disposition]}: {sample.dispositionReason}
                </Fact>
            )}
        </>
    );
}

function Changing({ sample, fact }: { sample: Whole; fact: FactOf }): ReactElement {
    const names = useNames();
    const places = useStorageLocations();
    const project = names.projects.get(sample.projectId ?? 0);
    const { notes } = sample;
    return (
        <>
            {fact({ name: t.sample.client, members: ['clientName'], children: sample.clientName })}
            {fact({ name: t.sample.project, members: ['projectId'],
                children: project ? `${project.code}, ${project.name}` : '' })}
            {fact({ name: t.sample.place, members: ['plantLocation', 'materialTypeId'],
                children: [names.materials.get(sample.materialTypeId)?.name, sample.plantLocation]
                    .filter(Boolean).join(', ') })}
            {fact({ name: t.sample.collected, members: ['collectedAt', 'collectionDate'],
                children: sample.collectedAt ?? sample.collectionDate
                    ? <Collected sample={sample} /> : '' })}
            <Past sample={sample} />
            {fact({ name: t.sample.due, members: ['dueDate', 'priority'],
                children: sample.dueDate || sample.priority !== 'routine'
                    ? <DueIn sample={sample} /> : '' })}
            {fact({ name: t.sample.externalId, rest: true, members: ['externalId'],
                children: sample.externalId })}
            {fact({ name: t.sample.stored, rest: true, members: ['storageLocationId'],
                children: places.get(sample.storageLocationId ?? 0)?.name })}
            {fact({ name: !notes || sample.noteOnReport ? t.sample.notes : t.sample.notesOff,
                rest: true, members: ['notes', 'noteOnReport'], children: notes })}
        </>
    );
}

export function Facts({ sample }: { sample: Whole }): ReactElement {
    const fact = useFact(sample);
    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">
                {t.sample.facts}
                {may('sample.edit') && isOpen(sample) ? (
                    <Link className="btn row plain push" href={paths.sample(sample.id, 'edit')}>
                        {t.sample.editShort}<kbd>e</kbd>
                    </Link>
                ) : null}
            </h2>
            <dl className="stack"><Changing sample={sample} fact={fact} /></dl>
        </section>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// What is known of a sample.
import type { ReactElement, ReactNode } from 'react';

import { Moment } from '../../parts/moment.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { usePeople, useNames } from '../../api/names.ts';
import type { Whole } from './record.tsx';

function Fact({ name, rest, children }: {
    name: string; rest?: boolean; children: ReactNode;
}): ReactElement {
    return <div className={rest ? 'rest' : undefined}><dt>{name}</dt><dd>{children}</dd></div>;
}

function receiptOf({ receipt }: Whole): string {
    return [
        receipt?.temperature == null ? '' : t.sample.celsius(receipt.temperature),
        receipt?.condition ?? '',
        receipt?.containers == null ? '' : t.sample.containers(receipt.containers),
        receipt?.deviations ?? '',
    ].filter(Boolean).join(', ');
}

export function Facts({ sample }: { sample: Whole }): ReactElement {
    const names = useNames();
    const person = usePeople();
    const project = names.projects.get(sample.projectId ?? 0);
    const material = names.materials.get(sample.materialTypeId)?.name;
    const receiver = person(sample.receipt?.receivedBy ?? null);
    const receipt = receiptOf(sample);
    const stored = names.places.get(sample.storageLocationId ?? 0)?.name;

    return (
        <section className="facts" aria-labelledby="facts" tabIndex={0}>
            <h2 id="facts">{t.sample.facts}</h2>
            <dl className="stack">
                <Fact name={t.sample.client}>{sample.clientName}</Fact>
                {project ? <Fact name={t.sample.project}>{project.code}, {project.name}</Fact> : null}
                <Fact name={t.sample.place}>
                    {[material, sample.plantLocation].filter(Boolean).join(', ')}
                </Fact>
                {sample.collectedAt ?? sample.collectionDate ? (
                    <Fact name={t.sample.collected}>
                        {sample.collectedAt ? <Moment at={sample.collectedAt} />
                            : dayOf(sample.collectionDate ?? '')}
                    </Fact>
                ) : null}
                <Fact name={t.sample.received}>
                    {sample.receivedAt ? <Moment at={sample.receivedAt} /> : t.sample.notYet}
                    {receiver ? ` ${t.sample.by(receiver)}` : ''}
                </Fact>
                {receipt ? <Fact name={t.sample.receipt}>{receipt}</Fact> : null}
                {sample.dueDate ? <Fact name={t.sample.due}>{dayOf(sample.dueDate)}</Fact> : null}
                {sample.disposition === 'active' ? null : (
                    <Fact name={t.sample.disposition}>
                        {t.samples.disposition[sample.disposition]}: {sample.dispositionReason}
                    </Fact>
                )}
                {sample.externalId
                    ? <Fact name={t.sample.externalId} rest>{sample.externalId}</Fact> : null}
                {stored ? <Fact name={t.sample.stored} rest>{stored}</Fact> : null}
                {sample.notes ? (
                    <Fact name={sample.noteOnReport ? t.sample.notes : t.sample.notesOff} rest>
                        {sample.notes}
                    </Fact>
                ) : null}
            </dl>
        </section>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The columns of the list of samples. Only what deviates is written: a priority that is
// not routine, flags.
import type { ReactNode } from 'react';

import type { Read } from '../../api/read.ts';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Flag, Status } from '../../parts/status.tsx';
import type { Column } from '../../table/list-table.tsx';
import { dayOf, span } from '../../texts/time.ts';
import { capital } from '../../texts/capital.ts';
import { t } from '../../texts/texts.ts';
import type { Names } from '../../api/names.ts';

export type Sample = Read<'/samples'>['data'][number];

const glyphs: Record<Sample['releaseState'], Extract<Tone, GlyphName>> = {
    blocked: 'blocked', in_progress: 'progress', ready_for_review: 'attention',
    ready_to_report: 'ready', reported: 'reported',
};

export const glyphOf = (state: Sample['releaseState']): Extract<Tone, GlyphName> => glyphs[state];

// Returns the release state with its progress, if the list has it: "Blocked 2", "In progress 3 of
// 5".
function readinessOf({ releaseState, blockerCount, testCounts }: Sample): string {
    const word = t.samples.releaseState[releaseState];
    if (releaseState === 'blocked' && blockerCount) {
        return `${word} ${blockerCount}`;
    }
    if (releaseState === 'in_progress' && testCounts) {
        const { pending, entered, verified } = testCounts;
        return t.samples.progress(word, entered + verified, pending + entered + verified);
    }
    return word;
}

export function Readiness({ sample }: { sample: Sample }): ReactNode {
    const glyph = glyphOf(sample.releaseState);
    return <Status glyph={glyph} tone={glyph}>{readinessOf(sample)}</Status>;
}

const holdingTones = { ok: undefined, expiring_soon: 'expiring', expired: 'overdue' } as const;

function leftOf(end: string | null | undefined): string | undefined {
    if (!end) {
        return undefined;
    }
    const left = new Date(end).getTime() - Date.now();
    return left > 0 ? span(left) : t.samples.holdingExpired(span(left));
}

export function Holding({ sample }: { sample: Sample }): ReactNode {
    if (sample.holdingStatus === null) {
        return null;
    }
    const tone = holdingTones[sample.holdingStatus];
    const said = leftOf(sample.holdingExpiresAt) ?? t.samples.holding[sample.holdingStatus];
    return tone ? <Status glyph="clock" tone={tone}>{said}</Status> : <Status>{said}</Status>;
}

type FlagName = keyof typeof t.samples.flags;

const flagNames: FlagName[] = ['oos', 'presumptive', 'qc', 'holding', 'amended',
    'approval_rejected'];

function flagsOf(sample: Sample): FlagName[] {
    return flagNames.filter((name) => sample.flags?.includes(name));
}

export function Flags({ sample }: { sample: Sample }): ReactNode {
    return flagsOf(sample).map((name) => {
        const [code, meaning] = t.samples.flags[name];
        return <Flag key={name} code={code ?? ''} meaning={meaning ?? ''} />;
    });
}

// The time of collection, or the day where the time is not known.
export function Collected({ sample }: {
    sample: Pick<Sample, 'collectedAt' | 'collectionDate'>;
}): ReactNode {
    return sample.collectedAt ? <Moment at={sample.collectedAt} />
        : sample.collectionDate ? dayOf(sample.collectionDate) : null;
}

export function Due({ sample }: { sample: Sample }): ReactNode {
    return (
        <>
            {sample.dueDate ? dayOf(sample.dueDate) : null}{' '}
            {sample.priority === 'routine' ? null
                : <strong>{t.samples.priority[sample.priority]}</strong>}
        </>
    );
}

export const statusOf = (sample: Sample): string => sample.disposition === 'active'
    ? capital(t.samples.status[sample.status])
    : capital(t.samples.disposition[sample.disposition]);

export function columnsOf({ projects, materials }: Names): Column<Sample>[] {
    const { columns } = t.samples;
    const project = (sample: Sample) => projects.get(sample.projectId ?? 0);
    const material = (sample: Sample) => materials.get(sample.materialTypeId)?.name;

    return [
        { key: 'trackingId', title: columns.trackingId, className: 'w-id stay', cellClass: 'id', heads: true,
            sorted: true, cell: (sample) => sample.trackingId },
        { key: 'identifier', title: columns.identifier, className: 'w-ident p4',
            cellClass: 'id', cell: (sample) => sample.sampleIdentifier === sample.trackingId
                ? null : sample.sampleIdentifier },
        { key: 'client', title: columns.client, cell: (sample) => sample.clientName,
            hint: (sample) => sample.clientName },
        { key: 'project', title: columns.project, className: 'w-short p5',
            cell: (sample) => project(sample)?.code, hint: (sample) => project(sample)?.name },
        { key: 'material', title: columns.material, className: 'p3',
            cell: material, hint: material },
        { key: 'collected', title: columns.collected, className: 'w-when p6',
            cell: (sample) => <Collected sample={sample} /> },
        { key: 'received', title: columns.received, className: 'w-when roomy',
            cell: (sample) => sample.receivedAt ? <Moment at={sample.receivedAt} /> : null },
        { key: 'due', title: columns.due, className: 'w-due',
            cell: (sample) => <Due sample={sample} /> },
        { key: 'status', title: columns.status, className: 'w-short p5', cell: statusOf },
        { key: 'readiness', title: columns.readiness, className: 'w-state',
            cell: (sample) => <Readiness sample={sample} /> },
        { key: 'holding', title: columns.holding, className: 'w-when',
            cell: (sample) => <Holding sample={sample} /> },
        { key: 'flags', title: columns.flags, className: 'w-due p1',
            cell: (sample) => <Flags sample={sample} /> },
    ];
}

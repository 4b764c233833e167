// SPDX-License-Identifier: Apache-2.0
//
// An investigation as pages have it: its phase, and the clock that runs until it is due.
import type { ReactElement } from 'react';

import type { Read } from '../api/read.ts';
import { useSession } from '../api/session.ts';
import type { GlyphName, Tone } from '../parts/glyph.tsx';
import { Status } from '../parts/status.tsx';
import { dayIn } from '../texts/local-time.ts';
import { t } from '../texts/texts.ts';
import { dateOf, daysBetween } from '../texts/time.ts';

export type Investigation = Read<'/investigations'>['data'][number];
export type Phase = Investigation['status'];

export const openPhases: Phase[] = ['opened', 'phase_1', 'phase_2', 'conclusion', 'capa_required'];

const glyphs: Record<Phase, Extract<Tone, GlyphName>> = {
    opened: 'attention', phase_1: 'progress', phase_2: 'progress', conclusion: 'progress',
    capa_required: 'attention', closed: 'ready', cancelled: 'ready',
};

export function PhaseOf({ phase }: { phase: Phase }): ReactElement {
    return (
        <Status glyph={glyphs[phase]} tone={glyphs[phase]}>
            {t.investigations.status[phase]}
        </Status>
    );
}

// Returns the days, in the laboratory's time zone, until it is due.
export function Clock({ one }: { one: Investigation }): ReactElement {
    const { organization } = useSession();
    const words = t.investigations;
    if (one.closedAt) {
        return <Status>{words.closedOn(dateOf(one.closedAt, organization.timeZone))}</Status>;
    }
    if (one.dueOn === null) {
        return <Status>{words.noClock}</Status>;
    }
    const left = daysBetween(dayIn(organization.timeZone, Date.now()), one.dueOn);
    if (left < 0) {
        return <Status glyph="clock" tone="overdue">{words.over(-left)}</Status>;
    }
    return left <= 7 ? <Status glyph="clock" tone="expiring">{words.left(left)}</Status>
        : <Status glyph="clock">{words.left(left)}</Status>;
}

// Whether a retest plan is written; a blank one is none.
export const isPlanned = ({ retestPlan }: Pick<Investigation, 'retestPlan'>): boolean =>
    retestPlan !== null && retestPlan.trim() !== '';

export const aboutOf = (
    { testCode, trackingId, qcBatchNumber, lotCode, fileName }: Investigation,
): string => [testCode, trackingId, qcBatchNumber, lotCode, fileName].filter(Boolean).join(' ');

// SPDX-License-Identifier: Apache-2.0
//
// A confirmation as pages have it: its state, and when its next reading is due.
import type { ReactElement } from 'react';

import type { Read } from '../api/read.ts';
import type { GlyphName, Tone } from '../parts/glyph.tsx';
import { Status } from '../parts/status.tsx';
import { t } from '../texts/texts.ts';
import { span } from '../texts/time.ts';

export type Confirmation = Read<'/confirmations'>['data'][number];
export type State = NonNullable<Confirmation['confirmationStatus']>;

const words = t.confirmations;

const glyphs: Record<State, Extract<Tone, GlyphName>> = {
    pending: 'progress', confirmed: 'ready', refuted: 'attention',
};

export function StateOf({ state }: { state: State | null }): ReactElement | null {
    return state === null ? null : (
        <Status glyph={glyphs[state]} tone={glyphs[state]}>{words.status[state]}</Status>
    );
}

// Returns the time until the next reading, in words.
export function Due({ one }: { one: Confirmation }): ReactElement | null {
    if (one.nextReadDue === null) {
        return one.confirmationStatus === 'pending'
            && one.plan.length
            ? <span className="quiet">{words.noPlan}</span> : null;
    }
    const left = new Date(one.nextReadDue).getTime() - Date.now();
    return left < 0
        ? <Status glyph="clock" tone="overdue">{words.readOver(span(left))}</Status>
        : <Status glyph="clock" {...(left < 2 * 3600_000 ? { tone: 'expiring' as const } : {})}>
            {words.readIn(span(left))}
        </Status>;
}

export const nameOf = ({ testCode, trackingId }: Confirmation): string =>
    `${testCode} ${trackingId}`;

// SPDX-License-Identifier: Apache-2.0
//
// The status of a QC batch: an open one whose control has failed says so.
import type { ReactElement } from 'react';

import type { Read } from '../../api/read.ts';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

export type Listed = Read<'/qc-batches'>['data'][number];
export type State = Listed['qcStatus'];

export const glyphOf: Record<State, Extract<Tone, GlyphName>> = {
    open: 'progress', passed: 'ready', failed: 'blocked', overridden: 'reported',
};

export function BatchStatus({ batch }: {
    batch: Pick<Listed, 'qcStatus' | 'failing'>;
}): ReactElement {
    const failing = batch.qcStatus === 'open' && batch.failing;
    const glyph = failing ? 'attention' : glyphOf[batch.qcStatus];
    return (
        <Status glyph={glyph} tone={glyph}>
            {failing ? t.batches.failing : t.batches.status[batch.qcStatus]}
        </Status>
    );
}

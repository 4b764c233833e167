// SPDX-License-Identifier: Apache-2.0
//
// A lot of a reagent or of a culture medium, as pages have it.
import type { Read } from '../api/read.ts';
import type { GlyphName, Tone } from '../parts/glyph.tsx';
import type { LotKind } from '../paths.ts';

export type Reagent = Read<'/reagent-lots'>['data'][number];
export type Media = Read<'/media-lots'>['data'][number];
export type Lot = Reagent | Media;
export type Use = Read<'/reagent-lots/{id}/recall'>['data'][number];

export const isMedia = <L extends Lot>(lot: L): lot is Extract<L, Media> => 'medium' in lot;

export const kindOf = (lot: Lot): LotKind => isMedia(lot) ? 'media' : 'reagent';

export const glyphs: Record<Lot['qcStatus'], Extract<Tone, GlyphName>> = {
    pending: 'progress', passed: 'ready', failed: 'blocked', quarantined: 'blocked',
};

export interface Reach {
    tests: number;
    verified: number;
    samples: number;
    certificates: number;
}

export function reachOf(uses: Use[]): Reach {
    const certificates = uses.map(({ certificateNumber }) => certificateNumber);
    return {
        tests: uses.length,
        verified: uses.filter(({ status }) => status === 'verified').length,
        samples: new Set(uses.map(({ sampleId }) => sampleId)).size,
        certificates: new Set(certificates.filter((number) => number !== null)).size,
    };
}

// SPDX-License-Identifier: Apache-2.0
//
// A status is a shape, a colour and a word, always all three. The word begins with a capital
// letter; what is left of a time, beside a clock or no glyph, is no word of a state.
import type { ReactElement, ReactNode } from 'react';

import { capital } from '../texts/capital.ts';
import { Glyph } from './glyph.tsx';
import type { GlyphName, Tone } from './glyph.tsx';

interface Properties {
    glyph?: GlyphName;
    tone?: Tone;
    children: ReactNode;
}

export function Status({ glyph, tone, children }: Properties): ReactElement {
    return (
        <span className="status">
            {glyph ? <Glyph name={glyph} {...(tone ? { tone } : {})} />
                : <span className="glyph" />}
            {typeof children === 'string' && glyph && glyph !== 'clock'
                ? capital(children) : children}
        </span>
    );
}

export function Flag({ code, meaning }: { code: string; meaning: string }): ReactElement {
    return <abbr className="flag" title={meaning}>{code}</abbr>;
}

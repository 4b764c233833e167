// SPDX-License-Identifier: Apache-2.0
//
// Acts that nobody could do, and each change that would be enough.
import type { ReactElement } from 'react';

import type { Read } from '../../api/read.ts';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

const words = t.users.permissions;

export function Lacks({ impact: { lacks, remedies } }: {
    impact: Read<'/policies/impact'>;
}): ReactElement | null {
    return lacks.length ? (
        <section className="section" aria-labelledby="lacks">
            <h3 id="lacks">{words.lacks}</h3>
            <ul>{lacks.map((one) => (
                <li key={one}><Status glyph="attention" tone="attention">{one}</Status></li>
            ))}</ul>
            <h3>{words.remedies}</h3>
            <ul>{remedies.map((one) => (
                <li key={one} className="small">{t.inPolicies(one)}</li>
            ))}</ul>
        </section>
    ) : null;
}

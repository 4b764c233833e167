// SPDX-License-Identifier: Apache-2.0
//
// Items that a reader of the certificate will miss.
import type { ReactElement } from 'react';

import { Glyph } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { lacks } from './content.ts';
import type { Content } from './content.ts';

export function Completeness({ content }: { content: Content }): ReactElement {
    const missing = lacks(content);
    return missing.length ? (
        <ul className="findings">
            {missing.map((text) => (
                <li key={text}><Glyph name="attention" tone="attention" /><p>{text}</p></li>
            ))}
        </ul>
    ) : <p><Status glyph="ready" tone="ready">{t.release.certificates.allThere}</Status></p>;
}

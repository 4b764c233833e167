// SPDX-License-Identifier: Apache-2.0
//
// Items that a reader of the certificate will miss, and what nothing here can check.
import type { ReactElement } from 'react';

import { Glyph } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { lacks, outsideScope } from './content.ts';
import type { Content } from './content.ts';

export function Completeness({ content }: { content: Content }): ReactElement {
    const { allThere, notChecked, outside } = t.release.certificates;
    const missing = lacks(content);
    const codes = outsideScope(content);
    return (
        <>
            {missing.length ? (
                <ul className="findings">
                    {missing.map((text) => (
                        <li key={text}><Glyph name="attention" tone="attention" /><p>{text}</p></li>
                    ))}
                </ul>
            ) : <p><Status glyph="ready" tone="ready">{allThere}</Status></p>}
            {codes.length ? <p className="quiet small">{outside(codes)}</p> : null}
            <p className="quiet small">{notChecked}</p>
        </>
    );
}

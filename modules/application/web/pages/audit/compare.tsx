// SPDX-License-Identifier: Apache-2.0
//
// Files that were kept outside: signed heads compared with the chain as it is, and exported
// changes that are as they were signed.
import type { ReactElement } from 'react';

import { answer, api } from '../../api/client.ts';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { FileCheck } from './file-check.tsx';
import { Findings } from './findings.tsx';

const words = t.audit.proof;

export function Compare(): ReactElement {
    return (
        <FileCheck id="heads" check={(file) => answer(api.POST('/audit-blocks/compare',
            { body: { file } }))} words={{ title: words.compare, what: words.compareWhat,
            file: words.file, checking: words.comparing }}>
            {(name, outcome) => (
                <>
                    {outcome.sound ? (
                        <Status glyph="ready" tone="ready">
                            {words.same(name, outcome.headsCompared)}
                        </Status>
                    ) : <Status glyph="blocked" tone="blocked">{words.differs(name)}</Status>}
                    <Findings findings={outcome.findings} />
                </>
            )}
        </FileCheck>
    );
}

export function Exported(): ReactElement {
    return (
        <FileCheck id="exported" check={(file) => answer(api.POST('/audit-entries/verify-export',
            { body: { file } }))} words={{ title: words.exported, what: words.exportedWhat,
            file: words.exportedFile, checking: words.verifying }}>
            {(name, outcome) => (
                <Status glyph="ready" tone="ready">{words.asExported(name, outcome.keyId)}</Status>
            )}
        </FileCheck>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Findings in the chain, in the words of the service.
import type { ReactElement } from 'react';

import type { Read } from '../../api/read.ts';
import { t } from '../../texts/texts.ts';

export type Finding = Read<'/audit-blocks/verify'>['findings'][number];

export function Findings({ findings }: { findings: Finding[] }): ReactElement | null {
    return findings.length > 0 ? (
        <ul aria-label={t.audit.proof.findings}>
            {findings.map(({ block, entryId, problem, message }) => (
                <li key={`${block} ${entryId} ${problem}`}>{message}</li>
            ))}
        </ul>
    ) : null;
}

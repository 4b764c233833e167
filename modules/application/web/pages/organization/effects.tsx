// SPDX-License-Identifier: Apache-2.0
//
// Effect of a policy on the present data: as it is, and as it is typed.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import type { Group } from '../../form/draft.ts';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

type Impact = Read<'/policies/impact'>;

const words = t.organization.effect;

// Judged by the policies as they are typed, which nobody has in force yet.
export function useImpact(mine?: Group): Impact | undefined {
    const self = mine?.['policies.selfVerification'];
    const apart = mine?.['policies.approverMayBeVerifier'];
    return useRead('/policies/impact', { params: { query: {
        ...(self === 'allowed' || self === 'refused' ? { selfVerification: self } : {}),
        ...(typeof apart === 'boolean' ? { approverMayBeVerifier: apart } : {}),
    } } }, { enabled: may('policy.manage') }).data;
}

export function Effect({ impact, member, draft }: {
    impact: Impact | undefined; member: string; draft: unknown;
}): ReactElement | null {
    const name = member.replace(/^policies\./, '');
    const found = impact?.policies.find(({ policy }) => policy === name);
    if (!found) {
        return null;
    }
    const meant = String(draft) === found.value;
    if (meant === found.inForce) {
        return <>{(meant ? words.holds : words.stricter)(found.sentence)}</>;
    }
    return (
        <Status glyph="attention" tone="attention">
            {(meant ? words.begins : words.ends)(found.sentence)}
        </Status>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Time left of a test's holding time.
import type { ReactElement } from 'react';

import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { span } from '../../texts/time.ts';
import type { WorklistTest } from './groups.ts';

const { bench } = t;

const tones = { ok: null, expiring_soon: 'expiring', expired: 'overdue' } as const;

export function Left({ test }: { test: WorklistTest | null }): ReactElement | null {
    if (!test?.holdingExpiresAt) {
        return null;
    }
    const left = Date.parse(test.holdingExpiresAt) - Date.now();
    const text = left < 0 ? bench.passed(span(left)) : span(left);
    const tone = tones[test.holdingStatus ?? 'ok'];
    return tone ? <Status glyph="clock" tone={tone}>{text}</Status> : <Status>{text}</Status>;
}

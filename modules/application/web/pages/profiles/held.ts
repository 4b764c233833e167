// SPDX-License-Identifier: Apache-2.0
//
// Files that wait in quarantine, by the code of the profile that read them.
import { useMemo } from 'react';

import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';

type HeldFile = Read<'/instrument-files'>['data'][number];

export interface Held {
    files: HeldFile[];
    // Whether there are more than were read.
    more: boolean;
    of: (code: string) => number;
}

const none: HeldFile[] = [];

export function useHeld(): Held {
    const found = useRead('/instrument-files', { params: { query: {
        status: 'quarantined', order: '-id', limit: 100,
    } } }, { live: 60 });
    const files = found.data?.data ?? none;
    const more = found.data?.hasMore ?? false;
    return useMemo(() => ({
        files, more,
        of: (code) => files.filter(({ profileCode }) => profileCode === code).length,
    }), [files, more]);
}

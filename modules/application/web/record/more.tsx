// SPDX-License-Identifier: Apache-2.0
//
// The way to the further lines of a record's list, which begins with a hundred.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { Button } from '../parts/button.tsx';
import { t } from '../texts/texts.ts';

export const FIRST = 100;

// As many as a list answers at once.
const MOST = 500;

interface Shown {
    limit: number;
    showMore: () => void;
}

export function useLimit(): Shown {
    const [limit, setLimit] = useState(FIRST);
    return { limit, showMore: () => setLimit(limit + FIRST) };
}

export function More({ hasMore = false, limit, showMore }: Shown & {
    hasMore: boolean | undefined;
}): ReactElement | null {
    if (!hasMore) {
        return null;
    }
    return limit < MOST
        ? <p className="section"><Button onPress={showMore}>{t.record.showMore(FIRST)}</Button></p>
        : <p className="section quiet">{t.record.trailHasMore}</p>;
}

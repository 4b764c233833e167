// SPDX-License-Identifier: Apache-2.0
//
// Counts of samples in each state: exact up to 10,000, beyond that the service's word for more.
import { useRead } from '../../api/read.ts';
import type { Filters } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';
import { type Counts, readinessCounts } from './sums.ts';

// Value of the disposition filter that keeps all samples.
export const anyDisposition = Object.keys(t.samples.disposition).join();

export function useCounts(filters: Filters, enabled = true): Counts {
    const counts = useRead('/samples/counts', { params: { query: filters } },
        { live: 30, enabled });
    return counts.data ? readinessCounts(counts.data) : {};
}

// SPDX-License-Identifier: Apache-2.0
//
// Counts of samples in each state: exact up to 10,000, beyond that the service's word for more.
import { useRead } from '../../api/read.ts';
import type { Filters } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';

// Value of the disposition filter that keeps all samples.
export const anyDisposition = Object.keys(t.samples.disposition).join();

export type Counts = Record<string, string>;

// The members of an object that are counts, as they are shown.
function shown(part: unknown): Counts {
    return Object.fromEntries(Object.entries(part ?? {}).map(([state, count]) =>
        [state, typeof count === 'number' ? count.toLocaleString() : String(count)]));
}

function sum(counts: Counts): string | undefined {
    const numbers = Object.values(counts).map((count) => Number(count.replaceAll(',', '')));
    return numbers.some(Number.isNaN) ? Object.values(counts).find((count) => count.endsWith('+'))
        : numbers.reduce((all, count) => all + count, 0).toLocaleString();
}

// Returns counts by readiness, with `all` and `reported`; empty until they have been read.
export function readinessCounts(answer: { status?: unknown; releaseState?: unknown }): Counts {
    const status = shown(answer.status);
    const all = sum(status);
    return {
        ...shown(answer.releaseState),
        ...(status['reported'] ? { reported: status['reported'] } : {}),
        ...(all ? { all } : {}),
    };
}

export function useCounts(filters: Filters, enabled = true): Counts {
    const counts = useRead('/samples/counts', { params: { query: filters } },
        { live: 30, enabled });
    return counts.data ? readinessCounts(counts.data) : {};
}

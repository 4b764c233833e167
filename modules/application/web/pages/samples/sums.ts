// SPDX-License-Identifier: Apache-2.0
//
// Counts of samples by state as they are shown, and their sum.
import { inFigures } from '../../texts/figures.ts';

export type Counts = Record<string, string>;

const shown = (count: unknown): string =>
    typeof count === 'number' ? inFigures(count) : String(count);

// The members of an object that are counts, as they are shown.
const shownIn = (part: unknown): Counts =>
    Object.fromEntries(Object.entries(part ?? {}).map(([state, count]) => [state, shown(count)]));

// The sum of counts; where the service says of one that there are more, its word.
function sum(part: unknown): string {
    const counts: unknown[] = Object.values(part ?? {});
    const numbers = counts.filter((count) => typeof count === 'number');
    return shown(counts.find((count) => typeof count !== 'number')
        ?? numbers.reduce((all, count) => all + count, 0));
}

// Returns counts by readiness, with `all` and `reported`; empty until they have been read.
export function readinessCounts(answer: { status?: unknown; releaseState?: unknown }): Counts {
    const status = shownIn(answer.status);
    return {
        ...shownIn(answer.releaseState),
        ...(status['reported'] ? { reported: status['reported'] } : {}),
        all: sum(answer.status),
    };
}

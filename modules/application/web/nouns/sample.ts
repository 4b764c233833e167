// SPDX-License-Identifier: Apache-2.0
//
// A sample, as pages have it: whether people may work on it, and how far that is.
import type { Read } from '../api/read.ts';

type Listed = Read<'/samples'>['data'][number];
type Counts = NonNullable<Listed['testCounts']>;

// A record has the tests themselves, a list with progress their numbers.
export type Sample = Listed & {
    tests?: Pick<Read<'/samples/{id}'>['tests'][number], 'status' | 'disposition'>[];
};

// A reported sample is worked on while it is amended, also where it was disposed of. On hold only
// the report has to wait.
export const isOpen = (
    { status, disposition, amendment }: Pick<Sample, 'status' | 'disposition' | 'amendment'>,
): boolean => amendment !== null
    || (status !== 'reported' && (disposition === 'active' || disposition === 'on_hold'));

// Returns the number of active tests by status; undefined where the list does not tell it.
export function countsOf({ tests, testCounts }: Sample): Counts | undefined {
    const active = tests?.filter(({ disposition }) => disposition === 'active');
    const of = (wanted: string): number =>
        active?.filter(({ status }) => status === wanted).length ?? 0;
    return active
        ? { pending: of('pending'), entered: of('entered'), verified: of('verified') }
        : testCounts;
}

export function hasAllResults(sample: Sample): boolean {
    const counts = countsOf(sample);
    return counts !== undefined && counts.pending === 0
        && counts.entered + counts.verified > 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Batch numbers, limits, and what a failure does to what is covered. Pure.

// Returns the number after the last one: its digits count up and keep their zeros. QCB-0106,
// QCB-0107.
export function nextNumber(last: string | undefined): string {
    const found = /^(.*?)(\d+)(\D*)$/.exec(last ?? '');
    if (!found) {
        return 'QCB-0001';
    }
    const [, before = '', digits = '', after = ''] = found;
    const next = String(BigInt(digits) + 1n);
    return `${before}${next.padStart(digits.length, '0')}${after}`;
}

export type Fate = 'reported' | 'verified' | 'held' | 'free';

interface Covered {
    sampleId: number;
    status: 'pending' | 'entered' | 'verified';
}

// Returns the state of a test that a batch covers; `reported`: its sample was reported with it.
export function fateOf(
    { sampleId, status }: Covered, holds: boolean, reported: ReadonlySet<number>,
): Fate {
    if (!holds) {
        return 'free';
    }
    if (reported.has(sampleId)) {
        return 'reported';
    }
    return status === 'verified' ? 'verified' : 'held';
}

// Returns the acceptance limits of a control; a blank has an upper one alone.
export function limitsOf({ lowerLimit, upperLimit }: {
    lowerLimit: number | null; upperLimit: number | null;
}): string {
    const ends = [lowerLimit, upperLimit].filter((end) => end !== null).map(String);
    return lowerLimit === null && upperLimit !== null ? `≤ ${upperLimit}` : ends.join(' – ');
}

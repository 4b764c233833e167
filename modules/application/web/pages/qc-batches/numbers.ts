// SPDX-License-Identifier: Apache-2.0
//
// Batch numbers, limits, what a failure does to what is covered, and values as they are typed.
// Pure.

// The number after the last one: its digits go on, with their zeros. QCB-0106, QCB-0107.
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

// What a batch does to a test that it covers; `reported`: samples that went out with it.
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

// What a control is accepted within; of a blank the upper end alone is one.
export function limitsOf({ lowerLimit, upperLimit }: {
    lowerLimit: number | null; upperLimit: number | null;
}): string {
    const ends = [lowerLimit, upperLimit].filter((end) => end !== null).map(String);
    return lowerLimit === null && upperLimit !== null ? `≤ ${upperLimit}` : ends.join(' – ');
}

// A decimal point or comma; anything else is no number, and is not sent.
export function numberOf(typed: string): number | null {
    const text = typed.trim().replace(',', '.');
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

// SPDX-License-Identifier: Apache-2.0
//
// Time as the schedulers of the grid see it, so that their tests need not wait.
export interface Clock {
    now(): number;
    // Calls back after some milliseconds, and returns a function that cancels the call.
    after(milliseconds: number, call: () => void): () => void;
}

export const clock: Clock = {
    now: () => Date.now(),
    after: (milliseconds, call) => {
        const timer = setTimeout(call, milliseconds);
        return () => clearTimeout(timer);
    },
};

const FIRST = 1_000;
const LONGEST = 15_000;

// Returns the milliseconds to wait before the next try: doubled each time, or what the service asks
// for.
export function pause(tries: number, retryAfter: number | null): number {
    return Math.max(Math.min(FIRST * 2 ** tries, LONGEST), retryAfter ?? 0);
}

// SPDX-License-Identifier: Apache-2.0
//
// Numbers by the seed in LIMS_SEED, or another each time; a failing test says which.
export const SEED = Number(process.env['LIMS_SEED'] ?? Date.now() % 1_000_000);

export function random(seed: number): (below: number) => number {
    let state = seed >>> 0;
    return (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
}

// SPDX-License-Identifier: Apache-2.0
//
// The shape of a point by the rule that it breaks: told apart in black and white too.

// Drawn around 0, 0; a rule that is not named here has the ring of a warning.
const drawn: Record<string, string> = {
    '1-3s': 'M0-7 7 0 0 7-7 0z',
    'R-4s': 'M0 7-7-5H7z',
    '2-2s': 'M0-7 7 5H-7z',
    '4-1s': 'M-5-5H5V5H-5z',
    '3-1s': 'M-6-3H6V3H-6z',
    '10-x': 'M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6z',
    '7-T': 'M-6-4 0-7 6-4V4L0 7-6 4z',
};
const ring = 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z';

export const shapeOf = (rule: string): string => drawn[rule] ?? ring;

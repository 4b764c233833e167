// SPDX-License-Identifier: Apache-2.0
//
// Tells a scanner from a person: a barcode reader types at least 6 characters, each less
// than 30 ms after the one before, and mostly ends with Enter or Tab.
export const minimum = 6;
export const pause = 30;

export interface Burst {
    text: string;
    last: number;
}

export const none: Burst = { text: '', last: 0 };

// Whether what comes at this time (milliseconds) is still of the burst.
export const goesOn = (burst: Burst, at: number): boolean =>
    burst.text !== '' && at - burst.last < pause;

// The burst after one more character at this time (milliseconds).
export const typed = (burst: Burst, character: string, at: number): Burst =>
    ({ text: goesOn(burst, at) ? burst.text + character : character, last: at });

export const isScan = (burst: Burst): boolean => burst.text.length >= minimum;

// Whether a terminating key at this time completes a scan.
export const endsScan = (burst: Burst, at: number): boolean =>
    isScan(burst) && at - burst.last < pause * 2;

// Returns the scanned text without spaces and without the comma that some scanners append.
export const scannedText = (text: string): string => text.trim().replace(/,+$/, '').trim();

// Whether it reads like a label: capitals and digits in groups, as no password is.
export const isLabel = (text: string): boolean => /^[A-Z0-9]+(?:[-./][A-Z0-9]+)+$/.test(text);

// Whether it may be what is written on one label, and no block of a spreadsheet.
export const isOneLabel = (text: string): boolean =>
    text.length >= minimum && text.length <= 64 && !/[\t\r\n]/.test(text);

// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people type them, read alike on every page. Pure.

// With a decimal point, and no other sign: 1,234 is a thousand to one person and a little more
// than one to another. An input's `pattern`.
export const numberPattern = '\\s*[+\\-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+\\-]?[0-9]+)?\\s*';

const form = new RegExp(`^(?:${numberPattern})$`);

// Returns the number that was typed; null: it is none, and is not sent.
export function numberOf(typed: string): number | null {
    const number = form.test(typed) ? Number(typed) : NaN;
    return Number.isFinite(number) ? number : null;
}

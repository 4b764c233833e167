// SPDX-License-Identifier: Apache-2.0
//
// A word or a sentence that stands by itself begins with a capital letter; the catalogue has words
// as they stand within sentences.
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

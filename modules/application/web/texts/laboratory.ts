// SPDX-License-Identifier: Apache-2.0
//
// The service says to programs and people alike that a record is not in "your organization";
// people work in a laboratory.
export const inLaboratory = (text: string): string =>
    text.replace(/\b([Tt]he|[Yy]our) organization\b/g, '$1 laboratory');

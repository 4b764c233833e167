// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the texts write them, whatever language the browser speaks: two in one sentence are
// written alike.
export const inFigures = (count: number): string => count.toLocaleString('en-US');

// SPDX-License-Identifier: Apache-2.0
//
// The size of a file as people read it: three digits at most tell enough.
export function sizeOf(bytes: number): string {
    if (bytes < 1000) {
        return `${bytes} B`;
    }
    const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
    return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

// SPDX-License-Identifier: Apache-2.0
//
// Moving and selecting in a list.

interface Identified {
    id: number;
}

// Returns the row after a step; without a cursor the first step leads to the first row.
export function moved(at: number, step: number, count: number): number {
    return Math.max(0, Math.min(count - 1, at < 0 && step < 0 ? 0 : at + step));
}

export function toggled(selected: ReadonlySet<number>, id: number): ReadonlySet<number> {
    const next = new Set(selected);
    if (!next.delete(id)) {
        next.add(id);
    }
    return next;
}

const none: ReadonlySet<number> = new Set();

export const allSelected = (selected: ReadonlySet<number>, rows: Identified[]): boolean =>
    rows.length > 0 && rows.every((row) => selected.has(row.id));

// All rows; where all are selected, none.
export const allOrNone = (
    selected: ReadonlySet<number>, rows: Identified[],
): ReadonlySet<number> =>
    allSelected(selected, rows) ? none : new Set(rows.map((row) => row.id));

// The rows from one to another, both included, are selected besides.
export function ranged(
    selected: ReadonlySet<number>, rows: Identified[], from: number, to: number,
): ReadonlySet<number> {
    const [first, last] = from < to ? [from, to] : [to, from];
    return new Set([...selected,
        ...rows.slice(Math.max(0, first), last + 1).map((row) => row.id)]);
}

// SPDX-License-Identifier: Apache-2.0
//
// Records that stand within others, as a tree: each followed by what is within it, by code,
// with the number of others that it is within itself.
interface Placed {
    id: number;
    code?: unknown;
    parentId?: unknown;
}

const byCode = (a: Placed, b: Placed): number =>
    String(a.code).localeCompare(String(b.code), 'en', { numeric: true });

export function treeOf<One extends Placed>(all: readonly One[]): (One & { level: number })[] {
    const left = new Set([...all].sort(byCode));
    const shown = new Set(all.map(({ id }) => id));
    const from = (ones: One[], level: number): (One & { level: number })[] =>
        ones.flatMap((one) => left.delete(one) ? [{ ...one, level },
            ...from([...left].filter(({ parentId }) => parentId === one.id), level + 1)] : []);
    const made = from([...left].filter(({ parentId }) => !shown.has(Number(parentId))), 0);
    return [...made, ...from([...left], 0)];
}

// SPDX-License-Identifier: Apache-2.0
//
// The names of people, known since the first run was read: a locked cell says who verified it.
let names: ReadonlyMap<number, string> = new Map();

export const nameOf = (id: number | null): string => names.get(id ?? 0) ?? '';

export function knowPeople(people: readonly { id: number; displayName: string }[]): void {
    names = new Map(people.map(({ id, displayName }) => [id, displayName]));
}

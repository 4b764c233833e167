// SPDX-License-Identifier: Apache-2.0
//
// Names of what records refer to: projects, materials, people, tests, instruments. They are few
// and change seldom, so all are read once.
import { useMemo } from 'react';

import { readWholeAhead, useAll, useWhole } from './read.ts';
import type { Read } from './read.ts';

interface Page<Row> {
    data: Row[];
    nextCursor: number;
    hasMore: boolean;
}

export function rowsOf<Row>(page: Page<Row>): { rows: Row[]; next: number | undefined } {
    return { rows: page.data, next: page.hasMore ? page.nextCursor : undefined };
}

export interface Named {
    id: number;
    code: string;
    name: string;
}

export interface Names {
    projects: Map<number, Named>;
    materials: Map<number, Named>;
}

const byId = <Row extends { id: number }>(rows: Row[]): Map<number, Row> =>
    new Map(rows.map((row) => [row.id, row]));

// Reads the names ahead of a page.
export const readNames = (): Promise<unknown> => Promise.all([
    readWholeAhead('/projects', rowsOf<Named>), readWholeAhead('/material-types', rowsOf<Named>)]);

// Returns the same object until a name changes: columns are made of it.
export function useNames(): Names {
    const projects = useAll('/projects', rowsOf<Named>);
    const materials = useAll('/material-types', rowsOf<Named>);
    return useMemo(() => ({ projects: byId(projects), materials: byId(materials) }),
        [projects, materials]);
}

export function useStorageLocations(): Map<number, Named> {
    const all = useAll('/storage-locations', rowsOf<Named>);
    return useMemo(() => byId(all), [all]);
}

// Stands for a name that is not read yet: an empty text would say that there is none.
export const unread = '\u2026';

export function usePeople(): (id: number | null) => string {
    const { data, isPending } = useWhole('/people', rowsOf);
    return useMemo(() => {
        const people = new Map(data?.map((one) => [one.id, one.displayName]));
        return (id) => id === null ? '' : people.get(id) ?? (isPending ? unread : '');
    }, [data, isPending]);
}

export type Definition = Read<'/test-definitions'>['data'][number];
export type Instrument = Read<'/instruments'>['data'][number];

export function useDefinitions(): Map<number, Definition> {
    const all = useAll('/test-definitions', rowsOf<Definition>);
    return useMemo(() => byId(all), [all]);
}

export function useInstruments(): Map<number, Instrument> {
    const all = useAll('/instruments', rowsOf<Instrument>);
    return useMemo(() => byId(all), [all]);
}

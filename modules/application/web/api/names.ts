// SPDX-License-Identifier: Apache-2.0
//
// Names of what records refer to: projects, materials, people, tests, instruments. They are few
// and change seldom, so all are read once.
import { useAll } from './read.ts';
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
    places: Map<number, Named>;
}

const byId = <Row extends { id: number }>(rows: Row[]): Map<number, Row> =>
    new Map(rows.map((row) => [row.id, row]));

export function useNames(): Names {
    return {
        projects: byId<Named>(useAll('/projects', rowsOf)),
        materials: byId<Named>(useAll('/material-types', rowsOf)),
        places: byId<Named>(useAll('/storage-locations', rowsOf)),
    };
}

export function usePeople(): (id: number | null) => string {
    const people = new Map(useAll('/people', rowsOf).map((one) => [one.id, one.displayName]));
    return (id) => id === null ? '' : people.get(id) ?? '';
}

export type Definition = Read<'/test-definitions'>['data'][number];
export type Instrument = Read<'/instruments'>['data'][number];

export const useDefinitions = (): Map<number, Definition> =>
    byId(useAll('/test-definitions', rowsOf<Definition>));

export const useInstruments = (): Map<number, Instrument> =>
    byId(useAll('/instruments', rowsOf<Instrument>));

// SPDX-License-Identifier: Apache-2.0
//
// The names that can be written in an order. They are few and change seldom, so all are read
// once.
import { readWholeAhead, useWhole, wholeNow } from '../../api/read.ts';
import type { References } from './references.ts';

interface Page<Row> {
    data: Row[];
    nextCursor: number;
    hasMore: boolean;
}

function activeOf<Row extends { active: boolean }>(page: Page<Row>) {
    return { rows: page.data, next: page.hasMore ? page.nextCursor : undefined };
}

const active = <Row extends { active: boolean }>(rows: Row[] = []): Row[] =>
    rows.filter((row) => row.active);

export interface ReadReferences extends References {
    // Whether all are read: an order like an earlier one would lack what is not.
    readonly whole: boolean;
}

export function useReferences(): ReadReferences {
    const clients = useWhole('/clients', activeOf).data;
    const projects = useWhole('/projects', activeOf).data;
    const materials = useWhole('/material-types', activeOf).data;
    const panels = useWhole('/panels', activeOf).data;
    const definitions = useWhole('/test-definitions', activeOf).data;
    return {
        clients: active(clients), projects: active(projects), materials: active(materials),
        panels: active(panels), definitions: active(definitions),
        whole: [clients, projects, materials, panels, definitions]
            .every((read) => read !== undefined),
    };
}

const namesNow = () => ({
    clients: wholeNow('/clients', activeOf),
    projects: wholeNow('/projects', activeOf),
    materials: wholeNow('/material-types', activeOf),
    panels: wholeNow('/panels', activeOf),
    definitions: wholeNow('/test-definitions', activeOf),
});

// The names as they were read last, without those that are still on their way.
export function referencesNow(): References {
    const { clients, projects, materials, panels, definitions } = namesNow();
    return { clients: active(clients ?? []), projects: active(projects ?? []),
        materials: active(materials ?? []), panels: active(panels ?? []),
        definitions: active(definitions ?? []) };
}

// Reads the names that are not known yet; null: all are.
export const readReferences = (): Promise<unknown> | null =>
    Object.values(namesNow()).every((names) => names !== null) ? null : Promise.all([
        readWholeAhead('/clients', activeOf), readWholeAhead('/projects', activeOf),
        readWholeAhead('/material-types', activeOf), readWholeAhead('/panels', activeOf),
        readWholeAhead('/test-definitions', activeOf)]);

// Whether the laboratory has none of them; not before that is known.
export function useNone(): { clients: boolean; materials: boolean } {
    const clients = useWhole('/clients', activeOf).data;
    const materials = useWhole('/material-types', activeOf).data;
    return { clients: clients !== undefined && active(clients).length === 0,
        materials: materials !== undefined && active(materials).length === 0 };
}

// SPDX-License-Identifier: Apache-2.0
//
// The names that can be written in an order. They are few and change seldom, so all are read
// once.
import { useWhole } from '../../api/read.ts';
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

// Whether the laboratory has none of them; not before that is known.
export function useNone(): { clients: boolean; materials: boolean } {
    const clients = useWhole('/clients', activeOf).data;
    const materials = useWhole('/material-types', activeOf).data;
    return { clients: clients !== undefined && active(clients).length === 0,
        materials: materials !== undefined && active(materials).length === 0 };
}

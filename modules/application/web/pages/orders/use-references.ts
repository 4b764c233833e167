// SPDX-License-Identifier: Apache-2.0
//
// The names that can be written in an order. They are few and change seldom, so all are read
// once.
import { useAll, useWhole } from '../../api/read.ts';
import type { References } from './references.ts';

interface Page<Row> {
    data: Row[];
    nextCursor: number;
    hasMore: boolean;
}

function activeOf<Row extends { active: boolean }>(page: Page<Row>) {
    return { rows: page.data, next: page.hasMore ? page.nextCursor : undefined };
}

const active = <Row extends { active: boolean }>(rows: Row[]): Row[] =>
    rows.filter((row) => row.active);

export function useReferences(): References {
    return {
        clients: active(useAll('/clients', activeOf)),
        projects: active(useAll('/projects', activeOf)),
        materials: active(useAll('/material-types', activeOf)),
        panels: active(useAll('/panels', activeOf)),
        definitions: active(useAll('/test-definitions', activeOf)),
    };
}

// Whether the laboratory has none of them; not before that is known.
export function useNone(): { clients: boolean; materials: boolean } {
    const clients = useWhole('/clients', activeOf).data;
    const materials = useWhole('/material-types', activeOf).data;
    return { clients: clients !== undefined && active(clients).length === 0,
        materials: materials !== undefined && active(materials).length === 0 };
}

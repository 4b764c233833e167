// SPDX-License-Identifier: Apache-2.0
//
// Records by name, to be picked.
import { useMemo } from 'react';

import { unread } from './names.ts';
import { useAll, useWhole } from './read.ts';
import type { ReadPath } from './read.ts';

// Lists whose records are picked by their names.
export type RecordsPath = Extract<ReadPath, '/clients' | '/projects' | '/material-types'
    | '/storage-locations' | '/test-definitions' | '/people' | '/webhook-endpoints'
    | '/media-lots' | '/panels' | '/instruments' | '/qc-templates' | '/worksheet-templates'>;

export interface Picked {
    id: string;
    name: string;
    active: boolean;
}

interface Row {
    id: number;
    code?: string;
    name?: string;
    displayName?: string;
    active?: boolean;
}

function rowsOf(page: unknown): { rows: Row[]; next: number | undefined } {
    const { data, nextCursor, hasMore } = page as
        { data: Row[]; nextCursor: number; hasMore: boolean };
    return { rows: data, next: hasMore ? nextCursor : undefined };
}

// Reads all records of a list, inactive ones included: a record that is referred to has a name.
export function useRecords(path: RecordsPath): Picked[] {
    const rows = useAll(path, rowsOf);
    return useMemo(() => rows.map(({ id, code, name, displayName, active }) => ({
        id: String(id), active: active ?? true,
        name: displayName ?? [code, name].filter(Boolean).join(', '),
    })), [rows]);
}

const isGiven = (id: unknown): boolean => id !== null && id !== undefined && id !== '';

export function useRecordNames(path: RecordsPath): (id: unknown) => string {
    const records = useRecords(path);
    const { isPending } = useWhole(path, rowsOf);
    return useMemo(() => {
        const names = new Map(records.map(({ id, name }) => [id, name]));
        return (id: unknown) => names.get(String(id)) ?? (isPending && isGiven(id) ? unread : '');
    }, [records, isPending]);
}

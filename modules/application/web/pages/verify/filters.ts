// SPDX-License-Identifier: Apache-2.0
//
// The filters of the queue.
import { useMemo } from 'react';

import { useRead } from '../../api/read.ts';
import type { Filter } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';

const { filter } = t.verify;

export function useQueueFilters(): Filter[] {
    const tests = useRead('/test-definitions', { params: { query: { limit: 500 } } }).data;
    const clients = useRead('/clients', { params: { query: { limit: 500 } } }).data;

    return useMemo(() => [
        { name: 'testDefinitionId', title: filter.testDefinitionId,
            choices: (tests?.data ?? []).map(({ id, code, name }): [string, string] =>
                [String(id), `${code} ${name}`]) },
        { name: 'clientId', title: filter.clientId,
            choices: (clients?.data ?? []).map(({ id, name }): [string, string] =>
                [String(id), name]) },
        { name: 'priority', title: filter.priority,
            choices: Object.entries(t.samples.priority) },
        { name: 'enteredSince', title: filter.enteredSince, day: true },
    ], [tests, clients]);
}

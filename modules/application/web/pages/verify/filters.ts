// SPDX-License-Identifier: Apache-2.0
//
// The filters of the queue.
import { useMemo } from 'react';

import { rowsOf } from '../../api/names.ts';
import { useAll } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import type { Filter } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';

const { filter } = t.verify;

export function useQueueFilters(): Filter[] {
    const tests = useAll('/test-definitions', rowsOf<Read<'/test-definitions'>['data'][number]>);
    const clients = useAll('/clients', rowsOf<Read<'/clients'>['data'][number]>);

    return useMemo(() => [
        { name: 'testDefinitionId', title: filter.testDefinitionId,
            choices: tests.map(({ id, code, name }): [string, string] =>
                [String(id), `${code} ${name}`]) },
        { name: 'clientId', title: filter.clientId,
            choices: clients.map(({ id, name }): [string, string] =>
                [String(id), name]) },
        { name: 'priority', title: filter.priority,
            choices: Object.entries(t.samples.priority) },
        { name: 'enteredSince', title: filter.enteredSince, day: 'begin' },
    ], [tests, clients]);
}

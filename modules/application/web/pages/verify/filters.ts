// SPDX-License-Identifier: Apache-2.0
//
// The filters of the queue.
import { useMemo } from 'react';

import { useDefinitions } from '../../api/names.ts';
import type { Filter } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';

const { filter } = t.verify;

export function useQueueFilters(): Filter[] {
    const tests = useDefinitions();

    return useMemo(() => [
        { name: 'testDefinitionId', title: filter.testDefinitionId,
            choices: [...tests.values()].map(({ id, code, name }): [string, string] =>
                [String(id), `${code} ${name}`]) },
        { name: 'clientId', title: filter.clientId, records: '/clients' },
        { name: 'priority', title: filter.priority,
            choices: Object.entries(t.samples.priority) },
        { name: 'enteredSince', title: filter.enteredSince, day: 'begin' },
    ], [tests]);
}

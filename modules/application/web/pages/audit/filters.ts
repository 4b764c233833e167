// SPDX-License-Identifier: Apache-2.0
//
// Filters of the audit trail: a record by its name, a person, a key, a period.
import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import { useAll, useRead } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { say } from '../../parts/toast.tsx';
import type { Filter, Filters } from '../../table/filter.ts';
import { t } from '../../texts/texts.ts';
import { tableName } from './changes.ts';
import type { Entry } from './changes.ts';
import { tables } from './tables.ts';

const titles = t.audit.filter;

const kinds = tables.map((table): [string, string] => [table, tableName(table)])
    .sort(([, a], [, b]) => a.localeCompare(b));

// Nouns whose names differ from those of their tables.
const tableOf: Record<string, string> = {
    order: 'sample_order', user: 'user_account', key: 'api_key', webhook: 'webhook_endpoint',
    profile: 'instrument_profile',
};

async function recordCalled(text: string): Promise<Filters | undefined> {
    try {
        const { data } = await answer(api.GET('/lookup', { params: { query: { text } } }));
        const [only] = data;
        if (!only || data.length > 1) {
            say({ tone: 'attention', text: only ? t.audit.several(text) : t.audit.unknown(text) });
            return undefined;
        }
        return { table: tableOf[only.noun] ?? only.noun.replaceAll('-', '_'),
            recordId: String(only.id) };
    } catch (error) {
        tell(error);
        return undefined;
    }
}

function useKeys(): [string, string][] {
    const keys = useRead('/keys', { params: { query: { limit: 100 } } },
        { enabled: may('key.manage') });
    return (keys.data?.data ?? []).map(({ id, name }) => [String(id), name]);
}

export const period: Filter[] = [
    { name: 'from', title: titles.from, day: 'begin' },
    { name: 'to', title: titles.to, day: 'end' },
];

// The entries that are shown name what a link asked for by id.
export function useAuditFilters(entries: Entry[]): Filter[] {
    const people = useAll('/people', ({ data, hasMore, nextCursor }) =>
        ({ rows: data, next: hasMore ? nextCursor : undefined }));
    const keys = useKeys();
    const [first] = entries;
    return [
        { name: 'recordId', title: titles.record, find: recordCalled,
            shown: (id) => first && String(first.recordId) === id && first.record
                ? first.record : `#${id}` },
        { name: 'userId', title: titles.userId,
            choices: people.map((one) => [String(one.id), one.displayName]) },
        { name: 'table', title: titles.table, shown: tableName,
            choices: kinds },
        { name: 'surface', title: titles.surface, choices: Object.entries(t.audit.surface) },
        ...period,
        { name: 'apiKeyId', title: titles.apiKeyId, linked: keys.length === 0, choices: keys,
            shown: (id) => keys.find(([key]) => key === id)?.[1]
                ?? (String(first?.apiKeyId) === id ? first?.apiKey ?? '' : `#${id}`) },
        { name: 'requestId', title: titles.requestId },
    ];
}

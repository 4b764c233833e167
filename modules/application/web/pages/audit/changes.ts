// SPDX-License-Identifier: Apache-2.0
//
// Entries of the trail as lines: of a change a line for each field, of a record that was
// added or removed one line in all.
import type { Read } from '../../api/read.ts';
import { visible } from '../../api/visible.ts';

export type Entry = Read<'/audit-entries'>['data'][number];
export type Change = Entry['changes'][number];

export interface Line {
    id: number;
    entry: Entry;
    // Changed columns; of an added or removed record all of them.
    changes: Change[];
}

// Most changed fields that an entry has.
const most = 1000;

export function linesOf(entries: Entry[]): Line[] {
    return entries.flatMap((entry) => entry.action === 'update' && entry.changes.length
        ? entry.changes.map((change, i) => ({ id: entry.id * most + i, entry, changes: [change] }))
        : [{ id: entry.id * most, entry, changes: told(entry) }]);
}

const empty = (json: string | null): boolean => json === null || json === 'null';

function told({ changes }: Entry): Change[] {
    return changes.filter((change) => !empty(change.old) || !empty(change.new));
}

export const fieldName = (field: string): string => field.replaceAll('_', ' ').replace(/ id$/, '');

export const tableName = (table: string): string => table.replaceAll('_', ' ');

// Formats a value of the trail: the text, the number, or the JSON as it is.
export type Value = { is: 'nothing' } | { is: 'time'; at: string } | { is: 'yes' | 'no' }
    | { is: 'day'; day: string } | { is: 'text'; text: string };

const day = /^\d{4}-\d\d-\d\d$/;
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)$/;

export function valueOf(json: string | null, name: string | null): Value {
    if (empty(json) || json === null) {
        return { is: 'nothing' };
    }
    if (name !== null) {
        return { is: 'text', text: name };
    }
    if (json === 'true' || json === 'false') {
        return { is: json === 'true' ? 'yes' : 'no' };
    }
    if (!json.startsWith('"')) {
        return { is: 'text', text: json };
    }
    const text = String(JSON.parse(visible(json)));
    if (day.test(text)) {
        return { is: 'day', day: text };
    }
    return time.test(text) ? { is: 'time', at: text } : { is: 'text', text };
}

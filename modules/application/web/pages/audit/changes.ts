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

// A name of the service, such as `qc_batch` or `plantLocation`, as people write it.
export const tableName = (name: string): string => name
    .replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`).replaceAll('_', ' ')
    .replace(/\b(?:qc|qa|api)\b/g, (short) => short.toUpperCase());

export const fieldName = (field: string): string =>
    tableName(field.replace(/(?<!external|tracking)(?:_id|Id)$/, ''));

// Tables whose records are named by a code of the service.
const namedByCode = ['user_role', 'role_permission', 'media_qc_test'];

export const recordName = ({ table, record }: Entry): string | null =>
    record !== null && namedByCode.includes(table) ? tableName(record) : record;

// A value of the trail in words. `list` and `group`: a list and an object, whose members are
// values again.
export type Value = { is: 'nothing' } | { is: 'time'; at: string } | { is: 'yes' | 'no' }
    | { is: 'day'; day: string } | { is: 'text'; text: string }
    | { is: 'list'; values: Value[] } | { is: 'group'; members: [string, Value][] };

const day = /^\d{4}-\d\d-\d\d$/;
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)$/;

// Columns and members that hold one of a few names of the service.
const coded = new RegExp('(?:^|_)(?:status|state|roles?|kind|type|disposition|meaning|policy|criterion'
    + '|qualifier|table_name)$');
const code = /^[a-z]+(?:_[a-z]+)+$/;

function ofText(text: string, field: string): Value {
    if (day.test(text)) {
        return { is: 'day', day: text };
    }
    if (time.test(text)) {
        return { is: 'time', at: text };
    }
    return { is: 'text', text: coded.test(field) && code.test(text) ? tableName(text) : text };
}

function ofJSON(value: unknown, field: string): Value {
    if (typeof value === 'boolean') {
        return { is: value ? 'yes' : 'no' };
    }
    if (Array.isArray(value)) {
        return value.length === 0 ? { is: 'nothing' }
            : { is: 'list', values: value.map((one) => ofJSON(one, field)) };
    }
    if (typeof value === 'object' && value !== null) {
        const members = Object.entries(value);
        return members.length === 0 ? { is: 'nothing' } : { is: 'group', members:
            members.map(([name, one]) => [fieldName(name), ofJSON(one, name)]) };
    }
    return value === null ? { is: 'nothing' } : ofText(String(value), field);
}

// Numbers stay the text that they are: 7.10 does not become 7.1.
const numbersAsTexts = (json: string): string => json.replace(
    /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (found) => found.startsWith('"') ? found : `"${found}"`);

export function valueOf(json: string | null, name: string | null, field: string): Value {
    if (empty(json) || json === null) {
        return { is: 'nothing' };
    }
    if (name !== null) {
        return { is: 'text', text: name };
    }
    return ofJSON(JSON.parse(numbersAsTexts(visible(json))), field);
}

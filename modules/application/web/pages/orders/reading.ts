// SPDX-License-Identifier: Apache-2.0
//
// Translates what was typed to the order that is sent, and the service's mistakes back to cells. A
// name without a record has no id to send, so it is reported here; all else the service reports.
import type { Mistake } from '../../api/problem.ts';
import type { Place, Sheet } from '../../grid/sheet.ts';
import { isTemperature } from '../receive/receiving.ts';
import { type Moment, collectedOf } from './collected.ts';
import { type Named, type References, called } from './references.ts';
import { type Member, membersOf } from './sheet.ts';
import { type Ordered, orderedOf } from './tests.ts';
import { capital } from '../../texts/capital.ts';
import { t } from '../../texts/texts.ts';

const { wrong, nouns } = t.orders;

export const priorities = ['routine', 'rush', 'stat'] as const;

export interface Form {
    readonly client: string;
    readonly project: string;
    readonly orderNumber: string;
    readonly contact: string;
    readonly material: string;
    readonly tests: string;
    // A day such as 2026-11-24, and a time such as 08:15.
    readonly collected: string;
    readonly time: string;
    readonly priority: typeof priorities[number];
    readonly temperature: string;
    readonly condition: string;
}

export type FormField = keyof Form;

export const EMPTY_FORM: Form = {
    client: '', project: '', orderNumber: '', contact: '', material: '', tests: '',
    collected: '', time: '', priority: 'routine', temperature: '', condition: '',
};

// Place of a mistake: a cell, a field of the form, or the whole order (null).
export interface Wrong {
    readonly place: Place | null;
    readonly field: FormField | null;
    readonly message: string;
}

type Body = Record<string, unknown>;

export interface Reading {
    readonly body: { clientId: number | null; samples: Body[] } & Body;
    // The sheet's row of each sample.
    readonly rows: readonly number[];
    // The number of containers of each sample; null: not said.
    readonly containers: readonly (number | null)[];
    readonly wrong: readonly Wrong[];
}

export interface Reader {
    readonly references: References;
    // The laboratory's day, and its zone.
    readonly today: string;
    readonly zone: string;
}

const at = (place: Place, message: string): Wrong => ({ place, field: null, message });
const in_ = (field: FormField, message: string): Wrong => ({ place: null, field, message });

// Returns the record of this name, else the reason why there is none.
function idOf(ones: readonly Named[], text: string, noun: string): number | null | string {
    if (text.trim() === '') {
        return null;
    }
    const [found, ...others] = called(ones, text);
    return found && others.length === 0 ? found.id
        : (found ? wrong.several : wrong.unknown)(noun, text);
}

interface Defaults {
    readonly material: number | null;
    readonly projectId: number | null;
    readonly tests: Ordered;
    readonly collected: Moment;
}

// Reads the fields of the form, each mistake at its field.
function readForm(form: Form, { references }: Reader, say: (wrong: Wrong) => void) {
    const pick = (field: 'client' | 'project' | 'material', ones: readonly Named[]) => {
        const found = idOf(ones, form[field], nouns[field]);
        if (typeof found === 'string') {
            say(in_(field, found));
            return null;
        }
        return found;
    };
    const tests = orderedOf(references, form.tests);
    if ('mistake' in tests) {
        say(in_('tests', tests.mistake));
    }
    const clientId = pick('client', references.clients);
    if (form.client.trim() === '') {
        say(in_('client', wrong.clientMissing));
    }
    if (form.time !== '' && form.collected === '') {
        say(in_('collected', wrong.dayOfTime));
    }
    if (!isTemperature(form.temperature)) {
        say(in_('temperature', wrong.temperature));
    }
    const defaults: Defaults = {
        projectId: pick('project', references.projects),
        material: pick('material', references.materials),
        tests: 'mistake' in tests ? { testDefinitionIds: [], panelIds: [] } : tests,
        collected: { day: form.collected, time: form.time },
    };
    return { clientId, defaults };
}

const trimmedOrNull = (text: string): string | null => text.trim() === '' ? null : text.trim();

type Typed = Readonly<Record<Member, string>>;

// Reads a row; what is wrong with it is said by the member.
function readRow(
    typed: Typed, { references, today, zone }: Reader, defaults: Defaults,
    say: (member: Member, message: string) => void,
): Body {
    const own = idOf(references.materials, typed.material, nouns.material);
    const material = typeof own === 'string' ? null : own ?? defaults.material;
    const collected = collectedOf(typed.collected, defaults.collected, today, zone);
    const tests = typed.tests.trim() === '' ? defaults.tests
        : orderedOf(references, typed.tests, defaults.tests);

    if (material === null) {
        say('material', typeof own === 'string' ? own : wrong.materialMissing);
    }
    if ('mistake' in collected) {
        say('collected', collected.mistake ?? '');
    }
    if ('mistake' in tests) {
        say('tests', tests.mistake);
    }
    const containers = typed.containers.trim();
    if (containers !== '' && (!/^\d{1,5}$/.test(containers) || Number(containers) > 10_000)) {
        say('containers', wrong.containers);
    }
    return {
        ...(material === null ? {} : { materialTypeId: material }),
        ...('mistake' in collected ? {} : collected),
        ...('mistake' in tests ? {} : tests),
        plantLocation: trimmedOrNull(typed.location),
        externalId: trimmedOrNull(typed.externalId),
        notes: trimmedOrNull(typed.notes),
    };
}

const NONE: Typed = { location: '', material: '', containers: '', collected: '', tests: '',
    externalId: '', notes: '' };

function typedOf(sheet: Sheet, row: number): Typed {
    const cells = sheet.rows[row]?.cells ?? [];
    return { ...NONE, ...Object.fromEntries(membersOf(sheet).map((member, i) =>
        [member, cells[i]?.content.typed ?? ''])) };
}

// The rows in which something stands.
export const filledRows = (sheet: Sheet): number[] => sheet.rows.flatMap((row, index) =>
    (row.cells.some(({ content }) => content.typed.trim() !== '') ? [index] : []));

const LARGEST = 200;

export function readOrder(sheet: Sheet, form: Form, reader: Reader): Reading {
    const found: Wrong[] = [];
    const { clientId, defaults } = readForm(form, reader, (one) => found.push(one));
    const rows = filledRows(sheet);
    const members = membersOf(sheet);
    const samples = rows.map((row) => ({
        ...(defaults.projectId === null ? {} : { projectId: defaults.projectId }),
        priority: form.priority,
        ...readRow(typedOf(sheet, row), reader, defaults, (member, message) =>
            found.push(at({ row, column: members.indexOf(member) }, message))),
    }));
    if (rows.length === 0 || rows.length > LARGEST) {
        found.push({ place: null, field: null,
            message: rows.length === 0 ? wrong.nothing : wrong.tooMany });
    }
    return {
        body: { clientId, orderNumber: trimmedOrNull(form.orderNumber), contact: trimmedOrNull(form.contact),
            samples },
        rows,
        containers: rows.map((row) => {
            const text = typedOf(sheet, row).containers.trim();
            return /^\d{1,5}$/.test(text) ? Number(text) : null;
        }),
        wrong: found,
    };
}

const memberOf: Readonly<Record<string, Member>> = {
    plantLocation: 'location', materialTypeId: 'material', collectedAt: 'collected',
    collectionDate: 'collected', testDefinitionIds: 'tests', panelIds: 'tests',
    externalId: 'externalId', notes: 'notes',
};

const fieldOf: Readonly<Record<string, FormField>> = {
    clientId: 'client', orderNumber: 'orderNumber', contact: 'contact', projectId: 'project',
    priority: 'priority',
};

// Removes the member's name from a message: the message is shown at its cell.
function bare(message: string): string {
    const text = message.replace(/^[a-z]\w*: /, '');
    return capital(text);
}

const ROW = /^samples\[(\d+)\](?:\.(\w+))?/;

// Places the service's mistakes: samples[3].plantLocation is the fourth row that was sent.
export function wrongOf(mistakes: readonly Mistake[], reading: Reading, sheet: Sheet): Wrong[] {
    const members = membersOf(sheet);
    return mistakes.map(({ path, message }) => {
        const [, index, member = ''] = ROW.exec(path) ?? [];
        const row = index === undefined ? undefined : reading.rows[Number(index)];
        const column = members.indexOf(memberOf[member] ?? 'location');
        if (row !== undefined && fieldOf[member] === undefined) {
            return at({ row, column: Math.max(0, column) }, bare(message));
        }
        return { place: null, field: fieldOf[row === undefined ? path : member] ?? null,
            message: bare(message) };
    });
}

// All mistakes, each place once: what is said here comes before what the service says of it.
export function joined(own: readonly Wrong[], theirs: readonly Wrong[]): Wrong[] {
    const keyOf = ({ place, field, message }: Wrong): string =>
        place ? `${place.row}/${place.column}` : field ?? message;
    const places = new Set(own.map(keyOf));
    const once = new Map(theirs.filter((one) => !places.has(keyOf(one)))
        .map((one) => [`${keyOf(one)} ${one.message}`, one]));
    return [...own, ...once.values()];
}

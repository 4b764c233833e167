// SPDX-License-Identifier: Apache-2.0
//
// The sheet of an order: a row for each sample, a column for each fact. It grows as it is
// filled; what a cell leaves empty is that of the whole order.
import { type Column, EMPTY, type Row, type Sheet, cellOf } from '../../grid/sheet.ts';
import type { Form } from './reading.ts';
import { type References, nameOf } from './references.ts';
import { t } from '../../texts/texts.ts';

const texts = t.orders;

export type Member = keyof typeof texts.columns;

const members: readonly Member[] =
    ['location', 'material', 'containers', 'collected', 'tests', 'externalId', 'notes'];

const titles = new Map(members.map((member) => [texts.columns[member].title, member]));

// Returns the member of the order that each column of its sheet is.
export const membersOf = ({ columns }: Sheet): Member[] =>
    columns.map(({ key }) => titles.get(key) ?? 'notes');

const widths: Record<Member, string> = { location: 'w-name', material: 'w-state',
    containers: 'w-short', collected: 'w-state', tests: 'w-name', externalId: 'w-id', notes: '' };

const lengths: Record<Member, number> = { location: 64, material: 255, containers: 5,
    collected: 64, tests: 1000, externalId: 255, notes: 4000 };

// Returns the value that is shown where a cell is empty.
function fallbackOf(member: Member, form: Form): string {
    return member === 'material' || member === 'tests' ? form[member]
        : member === 'collected' ? `${form.collected} ${form.time}`.trim() : '';
}

function offersOf(member: Member, { materials, panels, definitions }: References): string[] {
    switch (member) {
        case 'material':
            return materials.map(({ name }) => name);
        case 'tests':
            return [...panels.map(({ code }) => code), ...definitions.map(({ code }) => code)];
        default:
            return [];
    }
}

// Columns as form and references now make them. Containers are the receipt's.
export function columnsOf(form: Form, references: References, receives: boolean): Column[] {
    return members.filter((member) => receives || member !== 'containers').map((member) => {
        const { title, names } = texts.columns[member];
        const offers = offersOf(member, references);
        return {
            key: title,
            name: title,
            aliases: names,
            hint: '',
            numeric: false,
            length: lengths[member],
            className: widths[member],
            fallback: fallbackOf(member, form),
            ...(offers.length > 0 ? { offers } : {}),
        };
    });
}

const BEGIN = 20;

function rowOf(index: number, width: number): Row {
    return {
        key: `row ${index}`,
        label: '',
        kind: 'sample',
        facts: [],
        cells: Array.from({ length: width }, (_, c) => cellOf(`${index}/${c}`, EMPTY)),
    };
}

export function emptySheet(columns: readonly Column[], rows = BEGIN): Sheet {
    const grow = (index: number): Row => rowOf(index, columns.length);
    return {
        name: texts.sheet,
        heads: [],
        columns,
        rows: Array.from({ length: rows }, (_, index) => grow(index)),
        settings: {},
        reasons: false,
        grow,
    };
}

export const offered = {
    clients: ({ clients }: References) => clients.map(({ name }) => name),
    projects: ({ projects }: References) => projects.map(nameOf),
    materials: ({ materials }: References) => materials.map(({ name }) => name),
    tests: ({ panels, definitions }: References) =>
        [...panels.map(nameOf), ...definitions.map(nameOf)],
};

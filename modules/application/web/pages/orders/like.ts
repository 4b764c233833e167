// SPDX-License-Identifier: Apache-2.0
//
// An order that begins like an earlier one: what it takes over, and what is asked before it
// replaces one that is being written.
import { type Question, ask } from '../../acting/ask.ts';
import type { Read } from '../../api/read.ts';
import { enterGrid } from '../../grid/leave.ts';
import { t } from '../../texts/texts.ts';
import type { OrderDesk } from './order-desk.ts';
import { type Form, filledRows } from './reading.ts';
import { type References, nameOf } from './references.ts';

const texts = t.orders;

type Order = Read<'/orders/{id}'>;

// Returns the members of an order that the next one like it starts with; a client that is no longer
// active is none of them.
export function formLike(order: Order, references: References): Partial<Form> {
    const [sample] = order.samples;
    const { clients, projects, materials, panels, definitions } = references;
    const client = clients.find(({ id }) => id === order.clientId);
    const project = projects.find(({ id }) => id === sample?.projectId);
    const one = new Set(order.samples.map(({ materialTypeId }) => materialTypeId)).size === 1;
    const ordered = panels.filter(({ id }) => order.panelIds.includes(id));
    const covered = new Set(ordered.flatMap(({ testDefinitionIds }) => testDefinitionIds));
    const single = definitions.filter(({ id }) =>
        order.testDefinitionIds.includes(id) && !covered.has(id));
    return {
        client: client?.name ?? '',
        project: project ? nameOf(project) : '',
        contact: order.contact ?? '',
        material: materials.find(({ id }) => one && id === sample?.materialTypeId)?.name ?? '',
        tests: [...ordered, ...single].map(({ code }) => code).join(', '),
    };
}

// Begins an order like another; of one that is being written, its samples are not put down to
// another client: the person is asked before they are thrown away.
export function beginLike(
    desk: OrderDesk, form: Partial<Form>, askFirst: (question: Question) => void = ask,
): void {
    const rows = filledRows(desk.sheet).length;
    const begin = (): void => {
        desk.fill(form);
        enterGrid();
    };
    if (rows === 0) {
        begin();
        return;
    }
    askFirst({ kind: 'confirm', title: texts.like, explanation: texts.likeWhat,
        lines: [texts.rows(rows)], perform: () => {
            desk.clear();
            return Promise.resolve(begin());
        } });
}

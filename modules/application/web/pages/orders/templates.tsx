// SPDX-License-Identifier: Apache-2.0
//
// The last orders of the client as templates: one sets project, contact, material and tests.
import type { ReactElement } from 'react';

import { tell } from '../../actions/action.ts';
import { answer, api } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { t } from '../../texts/texts.ts';
import { enterGrid } from '../../grid/leave.ts';
import type { OrderDesk } from './order-desk.ts';
import type { Form } from './reading.ts';
import { type References, called, nameOf } from './references.ts';

const texts = t.orders;

type Order = Read<'/orders/{id}'>;

const SHOWN = 3;

// What an order says of the next one like it.
export function formLike(order: Order, references: References): Partial<Form> {
    const [sample] = order.samples;
    const { projects, materials, panels, definitions } = references;
    const project = projects.find(({ id }) => id === sample?.projectId);
    const one = new Set(order.samples.map(({ materialTypeId }) => materialTypeId)).size === 1;
    const ordered = panels.filter(({ id }) => order.panelIds.includes(id));
    const covered = new Set(ordered.flatMap(({ testDefinitionIds }) => testDefinitionIds));
    const single = definitions.filter(({ id }) =>
        order.testDefinitionIds.includes(id) && !covered.has(id));
    return {
        project: project ? nameOf(project) : '',
        contact: order.contact ?? '',
        material: materials.find(({ id }) => one && id === sample?.materialTypeId)?.name ?? '',
        tests: [...ordered, ...single].map(({ code }) => code).join(', '),
    };
}

export function Templates({ desk, references }: {
    desk: OrderDesk; references: References;
}): ReactElement | null {
    const { client } = useStore(desk.form);
    const [found] = called(references.clients, client);
    const read = useRead('/orders', { params: { query: {
        clientId: found?.id ?? 0, order: '-id', limit: SHOWN } } }, { enabled: found !== undefined });
    const orders = found ? read.data?.data.filter(({ clientId }) => clientId === found.id) : [];

    if (!orders?.length) {
        return null;
    }
    const take = (id: number): void => {
        answer(api.GET('/orders/{id}', { params: { path: { id } } })).then((order) => {
            desk.fill(formLike(order, references));
            enterGrid();
        }).catch(tell);
    };
    return (
        <div className="banner" role="group" aria-label={texts.templates}>
            <span className="quiet">{texts.templates}</span>
            {orders.map(({ id, orderNumber, createdAt, sampleCount }) => (
                <Button key={id} kind="row" onPress={() => take(id)}>
                    <span className="id">{orderNumber}</span>
                    <span className="quiet"><Moment at={createdAt} day />,{' '}
                        {texts.rows(sampleCount)}</span>
                </Button>
            ))}
        </div>
    );
}

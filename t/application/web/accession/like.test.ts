// SPDX-License-Identifier: Apache-2.0
//
// An order like another: samples that were typed for one client are never put down to another.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Question } from '../../../../modules/application/web/acting/ask.ts';
import { beginLike, formLike } from '../../../../modules/application/web/pages/orders/like.ts';
import { OrderDesk, type OrderPorts }
    from '../../../../modules/application/web/pages/orders/order-desk.ts';
import { filledRows } from '../../../../modules/application/web/pages/orders/reading.ts';
import type { References } from '../../../../modules/application/web/pages/orders/references.ts';

Object.assign(globalThis, { document: { querySelector: () => null } });

const references: References = {
    clients: [{ id: 1, code: 'MVWD', name: 'Mesa Verde Water District', active: true }],
    projects: [], materials: [], panels: [], definitions: [],
};

function desk(): OrderDesk {
    const nothing = () => Promise.resolve({ kind: 'unreachable' as const });
    const ports: OrderPorts = { now: () => 0, key: () => 'key', check: nothing, register: nothing,
        names: () => null,
        reader: () => ({ references, today: '2026-11-24', zone: 'America/Denver' }) };
    return new OrderDesk(ports, true);
}

type Order = Parameters<typeof formLike>[0];

const order = (clientId: number): Order => ({ clientId, samples: [], panelIds: [],
    testDefinitionIds: [], contact: null }) as unknown as Order;

test('a template replaces samples of another order only when the person says so', async () => {
    const written = desk();
    const asked: Question[] = [];
    written.fill({ client: 'Twin', orderNumber: '77' });
    written.paste('Location\tMaterial\nTap 1\tDW\nTap 2\tDW');
    beginLike(written, formLike(order(1), references), (question) => asked.push(question));
    assert.equal(written.form.get().client, 'Twin');
    assert.equal(filledRows(written.sheet).length, 2);
    assert.deepEqual(asked.map(({ lines }) => lines), [['2 samples']]);
    await asked[0]?.perform({ reason: undefined, password: undefined, chosen: [] });
    const { client, orderNumber } = written.form.get();
    assert.deepEqual([client, orderNumber], ['Mesa Verde Water District', '']);
    assert.equal(filledRows(written.sheet).length, 0);
});

test('a template sets each of its members', () => {
    const written = desk();
    const refuse = (): never => assert.fail('there is nothing to ask about');
    written.fill({ client: 'Mesa Verde Water District', contact: 'Samuel', project: 'LCR' });
    beginLike(written, formLike(order(9), references), refuse);
    const { client, contact, project } = written.form.get();
    assert.deepEqual([client, contact, project], ['', '', ''], 'the client is no longer active');
});

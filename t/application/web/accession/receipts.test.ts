// SPDX-License-Identifier: Apache-2.0
//
// A receipt that failed is kept with all that was typed for it, and sent again as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../../../modules/application/web/api/problem.ts';
import { type Receipt, type Received,
    Receipts } from '../../../../modules/application/web/pages/orders/receipts.ts';

const receipt: Receipt = { items: [{ sampleId: 1, containers: 3 }, { sampleId: 2 }],
    receipt: { temperature: 4.1 } };

function begin(answers: (Received | Problem)[]) {
    const sent: [Receipt, string][] = [];
    let keys = 0;
    const receipts = new Receipts({
        key: () => `key ${++keys}`,
        send: (body, key) => {
            sent.push([body, key]);
            const next = answers.shift();
            return next instanceof Problem || next === undefined ? Promise.reject(next)
                : Promise.resolve(next);
        },
        say: ({ status }) => `refused with ${status}`,
    });
    return { receipts, sent };
}

test('a receipt that is answered leaves nothing behind', async () => {
    const { receipts } = begin([{ count: 1, skipped: ['received by another'] }]);
    assert.deepEqual(await receipts.receive('Ben', 7, receipt),
        { count: 1, skipped: ['received by another'] });
    assert.deepEqual(receipts.kept.get(), []);
});

test('a receipt whose fate is unknown is sent again as it was, under its key', async () => {
    const { receipts, sent } = begin([new Problem(503, {}), new Problem(0, {}),
        { count: 2, skipped: [] }]);
    assert.equal(await receipts.receive('Ben', 7, receipt), 'refused with 503');
    for (const expected of ['refused with 0', { count: 2, skipped: [] }]) {
        const [kept] = receipts.kept.get();
        assert.ok(kept && kept.orderId === 7 && kept.owner === 'Ben');
        assert.deepEqual(await receipts.again(kept), expected);
    }
    assert.deepEqual(sent, [[receipt, 'key 1'], [receipt, 'key 1'], [receipt, 'key 1']]);
    assert.deepEqual(receipts.kept.get(), []);
});

test('a receipt that was refused is sent under another key, or given up', async () => {
    const { receipts, sent } = begin([new Problem(403, {}), new Problem(403, {})]);
    await receipts.receive('Ben', 7, receipt);
    const [kept] = receipts.kept.get();
    assert.equal(kept?.why, 'refused with 403');
    await receipts.again(kept!);
    assert.deepEqual(sent.map(([, key]) => key), ['key 1', 'key 2']);
    assert.equal(receipts.kept.get().length, 1);
    receipts.drop(7);
    assert.deepEqual(receipts.kept.get(), []);
});

// SPDX-License-Identifier: Apache-2.0
//
// Scans become lines, are sent one after the other, and wait while nobody answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    type Answer, type Bottle, Receiving, type Scan, expectedOf, sumOf, undoable,
} from '../../../../modules/application/web/pages/receive/receiving.ts';
import { Hands, settled } from '../grid/support.ts';

const bottle = (id: number): Bottle =>
    ({ id, trackingId: `LAB-26-000000${id}-X`, name: `Tap ${id}`, orderId: 7 });

function begin(answers: Answer[]) {
    const sent: { scan: Scan; key: string }[] = [];
    const clock = new Hands();
    let keys = 0;
    const desk = new Receiving({
        clock,
        key: () => `key ${++keys}`,
        receive: (scan, key) => {
            sent.push({ scan, key });
            return Promise.resolve(answers.shift() ?? { kind: 'refused', said: 'none left' });
        },
    });
    const verdicts = (): string[] => desk.store.get().lines.map(({ verdict }) => verdict);
    return { desk, sent, clock, verdicts };
}

test('what a reader sends behind a number is no part of it', async () => {
    const { desk, sent } = begin([]);
    for (const read of ['A-1,', ' A-1 ', 'A-1\t', 'A-1']) {
        assert.ok(desk.scan(read));
    }
    assert.equal(desk.scan(' , '), false);
    await settled();
    assert.deepEqual(sent.map(({ scan }) => scan.text), ['A-1', 'A-1', 'A-1', 'A-1']);
});

test('scans are sent in their order, each under a key of its own', async () => {
    const { desk, sent, verdicts } = begin([
        { kind: 'received', bottle: bottle(1) },
        { kind: 'already', bottle: bottle(1), said: 'by Ben' },
        { kind: 'refused', said: 'check character' },
    ]);
    desk.find({ temperature: '4.1' });
    desk.scan('one');
    desk.scan('two');
    desk.scan('three');
    await settled();
    assert.deepEqual(sent.map(({ scan, key }) => [scan.text, scan.findings.temperature, key]),
        [['one', '4.1', 'key 1'], ['two', '4.1', 'key 2'], ['three', '4.1', 'key 3']]);
    assert.deepEqual(verdicts(), ['refused', 'already', 'received'], 'the latest first');
    assert.deepEqual(sumOf(desk.store.get().lines),
        { received: 1, already: 1, refused: 1, waiting: 0 });
});

test('without an answer a scan waits, and is sent again under its key', async () => {
    const { desk, sent, clock, verdicts } = begin([
        { kind: 'unreachable', retryAfter: null },
        { kind: 'received', bottle: bottle(1) },
        { kind: 'received', bottle: bottle(2) },
    ]);
    desk.find({ temperature: '4.1', condition: 'intact' });
    desk.scan('one');
    desk.scan('two');
    await settled();
    desk.find({ temperature: '9.8' });
    assert.deepEqual(verdicts(), ['waiting', 'waiting']);
    assert.ok(desk.unsaved, 'closing the page would lose them');
    desk.clear();
    assert.equal(verdicts().length, 2, 'beginning anew does not lose them either');
    await clock.pass(60_000);
    assert.deepEqual(verdicts(), ['received', 'received']);
    assert.deepEqual(sent.map(({ key }) => key), ['key 1', 'key 1', 'key 2']);
    assert.deepEqual(sent.map(({ scan }) => scan.findings.temperature), ['4.1', '4.1', '4.1'],
        'it keeps what was found when it was scanned');
    assert.deepEqual(desk.store.get().lines.map(({ findings }) => findings.condition),
        ['intact', 'intact'], 'for a receipt anew, too');
    assert.equal(desk.unsaved, false);
});

test('the last scan can be undone for a minute', async () => {
    const { desk } = begin([
        { kind: 'received', bottle: bottle(1) }, { kind: 'received', bottle: bottle(2) },
        { kind: 'refused', said: 'no' },
    ]);
    desk.scan('one');
    desk.scan('two');
    await settled();
    const state = desk.store.get();
    const at = state.lines[0]?.at ?? 0;
    assert.equal(undoable(state, at + 59_999)?.text, 'two');
    assert.equal(undoable(state, at + 60_000), null);
    desk.scan('three');
    await settled();
    assert.equal(undoable(desk.store.get(), at), null, 'what was not received is not undone');
});

test('the bottles of an order that are missing', async () => {
    const samples = [1, 2, 3, 4].map((id) => ({ id, receivedAt: id === 4 ? 'then' : null }));
    const { desk } = begin([
        { kind: 'received', bottle: bottle(1) }, { kind: 'received', bottle: bottle(2) },
    ]);
    desk.scan('one');
    desk.scan('two');
    await settled();
    const ids = (): number[] =>
        expectedOf(samples, desk.store.get().lines).missing.map(({ id }) => id);
    assert.deepEqual(ids(), [3], 'what was scanned counts before the order is read again');
    desk.mend(2, { verdict: 'undone' });
    assert.deepEqual(ids(), [2, 3], 'an undone scan does not');
});

// SPDX-License-Identifier: Apache-2.0
//
// When the service is asked about cells, and which of its answers count.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pause } from '../../../../modules/application/web/grid/clock.ts';
import { Judging, type Judgement } from '../../../../modules/application/web/grid/judging.ts';
import type { Verdict } from '../../../../modules/application/web/grid/sheet.ts';
import { Hands, settled } from './support.ts';

interface Call {
    readonly asked: ReadonlyMap<string, string>;
    answer(judgement: Judgement): void;
}

function about(question: string): Verdict {
    return { question, mark: 'within', word: '', messages: [] };
}

function desk() {
    const hands = new Hands();
    const calls: Call[] = [];
    const answers: [string, string][] = [];
    const reach: (number | null)[] = [];
    const judging = new Judging<string>({
        clock: hands,
        ask: (asked) => new Promise((answer) => calls.push({ asked, answer })),
        answer: (verdicts) => verdicts.forEach((verdict, id) => answers.push([id, verdict.question])),
        reach: (nextTry) => reach.push(nextTry),
    });
    const reply = async (index: number) => {
        const call = calls[index];
        call?.answer({ kind: 'judged', verdicts: new Map([...call.asked].map(
            ([id, question]) => [id, about(question)])) });
        await settled();
    };
    return { hands, calls, answers, reach, judging, reply };
}

test('a quarter of a second after the last key, once', async () => {
    const { hands, calls, answers, judging, reply } = desk();
    judging.consider([['a', '7']]);
    await hands.pass(200);
    judging.consider([['a', '7.1']]);
    await hands.pass(249);
    assert.equal(calls.length, 0);
    await hands.pass(1);
    assert.deepEqual(calls.map((call) => [...call.asked]), [[['a', '7.1']]]);
    assert.ok(judging.busy);
    await reply(0);
    assert.deepEqual(answers, [['a', '7.1']]);
    assert.ok(!judging.busy);
});

test('at most 200 in a call, two calls at a time', async () => {
    const { hands, calls, answers, judging, reply } = desk();
    judging.consider(Array.from({ length: 1200 }, (_, i) => [`t${i}`, String(i)]));
    await hands.pass(250);
    assert.deepEqual(calls.map((call) => call.asked.size), [200, 200]);
    for (let index = 0; index < 6; index++) {
        await reply(index);
        assert.ok(calls.length <= index + 3);
    }
    assert.equal(answers.length, 1200);
    assert.equal(new Set(answers.map(([id]) => id)).size, 1200);
});

test('an answer to a question that was asked anew is dropped', async () => {
    const { hands, calls, answers, judging, reply } = desk();
    judging.consider([['a', '1'], ['b', '1']]);
    await hands.pass(250);
    judging.consider([['a', '2']]);
    await reply(0);
    assert.deepEqual(answers, [['b', '1']]);
    await hands.pass(250);
    assert.deepEqual([...calls[1]!.asked], [['a', '2']]);
    await reply(1);
    assert.deepEqual(answers.at(-1), ['a', '2']);
});

test('answers that come in another order than asked', async () => {
    const { hands, answers, judging, reply } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    judging.consider([['a', '2']]);
    await hands.pass(250);
    await reply(1);
    await reply(0);
    assert.deepEqual(answers, [['a', '2']]);
});

test('while nobody answers, questions wait and are asked again, later each time', async () => {
    const { hands, calls, answers, reach, judging, reply } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    calls[0]?.answer({ kind: 'unreachable', retryAfter: null });
    await settled();
    assert.deepEqual(reach, [1250], 'when the next try is, is told');
    judging.consider([['b', '1']]);
    await hands.pass(999);
    assert.equal(calls.length, 1, 'typing does not hurry it');
    await hands.pass(1);
    assert.deepEqual([...calls[1]!.asked.keys()].sort(), ['a', 'b']);
    calls[1]?.answer({ kind: 'unreachable', retryAfter: 7000 });
    await settled();
    await hands.pass(6999);
    assert.equal(calls.length, 2, 'the service said when');
    await hands.pass(1);
    await reply(2);
    assert.deepEqual(reach.at(-1), null);
    assert.equal(answers.length, 2);
});

test('a question that was asked anew while nobody answered is asked as it is now', async () => {
    const { hands, calls, judging } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    judging.consider([['a', '2']]);
    calls[0]?.answer({ kind: 'unreachable', retryAfter: null });
    await settled();
    await hands.pass(1000);
    assert.deepEqual([...calls[1]!.asked], [['a', '2']]);
});

test('the network is back: at once', async () => {
    const { hands, calls, judging } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    calls[0]?.answer({ kind: 'unreachable', retryAfter: 15_000 });
    await settled();
    judging.now();
    await hands.pass(0);
    assert.equal(calls.length, 2);
});

test('what would be refused again is not asked again', async () => {
    const { hands, calls, judging } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    calls[0]?.answer({ kind: 'refused', message: 'no' });
    await hands.pass(60_000);
    assert.equal(calls.length, 1);
    assert.ok(!judging.busy);
});

test('a grid that is closed asks nothing, and takes no answer', async () => {
    const { hands, calls, answers, judging, reply } = desk();
    judging.consider([['a', '1']]);
    await hands.pass(250);
    judging.consider([['b', '1']]);
    judging.stop();
    await reply(0);
    await hands.pass(1000);
    assert.equal(calls.length, 1);
    assert.deepEqual(answers, []);
});

test('each try waits longer, up to a quarter of a minute, or as the service says', () => {
    assert.deepEqual([0, 1, 2, 3, 4, 9].map((tries) => pause(tries, null)),
        [1000, 2000, 4000, 8000, 15_000, 15_000]);
    assert.equal(pause(0, 30_000), 30_000);
    assert.equal(pause(4, 100), 15_000);
});

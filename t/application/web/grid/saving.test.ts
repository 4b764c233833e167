// SPDX-License-Identifier: Apache-2.0
//
// Edited cells on their way to the service: nothing is lost, nothing is sent twice as if it
// were new, and each cell knows how it fared.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Outcome, Saving } from '../../../../modules/application/web/grid/saving.ts';
import type { Version } from '../../../../modules/application/web/grid/sheet.ts';
import { SEED, random } from './random.ts';
import { Hands, settled, version } from './support.ts';

type Answer = (entries: ReadonlyMap<string, string>, key: string) => Outcome | Promise<Outcome>;

function entered(entries: ReadonlyMap<string, string>): Outcome {
    return { kind: 'saved', versions: new Map([...entries].map(([id, text]) => [id, version(text)])) };
}

const unreachable: Outcome = { kind: 'unreachable', retryAfter: null };

function desk(answer: Answer, alone?: (entry: string) => boolean) {
    const hands = new Hands();
    const sent: { ids: string[]; key: string }[] = [];
    const said: string[] = [];
    const progress: string[] = [];
    let keys = 0;
    const say = (what: string, ids: Iterable<string>) => said.push(`${what} ${[...ids].join(' ')}`);
    const saving = new Saving<string>({
        clock: hands,
        key: () => `key ${++keys}`,
        ...(alone ? { alone } : {}),
        send: async (entries, key) => {
            sent.push({ ids: [...entries.keys()], key });
            return answer(entries, key);
        },
        onTheirWay: (ids, phase) => say(phase, ids),
        saved: (versions: ReadonlyMap<string, Version>) => say('saved', versions.keys()),
        conflict: (versions) => say('conflict', versions.keys()),
        refused: (refusals) => say(`refused ${[...refusals.values()][0]}:`, refusals.keys()),
        givenBack: (ids) => say('given back', ids),
        progress: (now) => progress.push(`${now.saved} of ${now.of}${now.nextTry ? ` at ${now.nextTry}` : ''}`),
    });
    return { hands, sent, said, progress, saving };
}

function some(count: number): Map<string, string> {
    return new Map(Array.from({ length: count }, (_, i) => [`t${i}`, String(i)]));
}

test('chunks of 200, one after the other, with progress in numbers', async () => {
    const { sent, said, progress, saving } = desk(entered);
    saving.save(some(450));
    await settled();
    assert.deepEqual(sent.map(({ ids }) => ids.length), [200, 200, 50]);
    assert.equal(new Set(sent.map(({ key }) => key)).size, 3);
    assert.deepEqual(progress, ['200 of 450', '400 of 450', '450 of 450']);
    assert.equal(said.filter((one) => one.startsWith('saved')).length, 3);
    assert.ok(!saving.busy);
});

test('a chunk whose fate is unknown is sent again as it was, under its key', async () => {
    let tries = 0;
    const { hands, sent, said, progress, saving } = desk((entries) =>
        (++tries < 3 ? unreachable : entered(entries)));
    saving.save(some(2));
    await settled();
    assert.deepEqual(said.slice(-1), ['waiting t0 t1']);
    assert.deepEqual(progress, ['0 of 2 at 1000']);
    saving.save(new Map([['t0', 'changed since'], ['t9', '9']]));
    await hands.pass(10_000);
    assert.deepEqual(sent.map(({ ids, key }) => `${key}: ${ids.join(' ')}`),
        ['key 1: t0 t1', 'key 1: t0 t1', 'key 1: t0 t1', 'key 2: t9']);
    assert.deepEqual(said.slice(-2), ['saved t0 t1', 'saved t9']);
});

test('the service says when to come again, and the network may be back before', async () => {
    let tries = 0;
    const { hands, sent, saving } = desk((entries) =>
        (++tries === 1 ? { kind: 'unreachable', retryAfter: 5000 } : entered(entries)));
    saving.save(some(1));
    await hands.pass(4999);
    assert.equal(sent.length, 1);
    saving.retry();
    await settled();
    assert.equal(sent.length, 2);
});

test('a conflict of one: the rest is sent without it, under another key', async () => {
    const { sent, said, saving } = desk((entries) => (entries.has('t1')
        ? { kind: 'conflict', versions: new Map([['t1', version('theirs')]]) } : entered(entries)));
    saving.save(some(3));
    await settled();
    assert.deepEqual(sent.map(({ ids, key }) => `${key}: ${ids.join(' ')}`),
        ['key 1: t0 t1 t2', 'key 2: t0 t2']);
    assert.deepEqual(said.slice(-3), ['conflict t1', 'saving t0 t2', 'saved t0 t2']);
});

test('a conflict that names nobody gives the cells back', async () => {
    const { sent, said, saving } = desk(() => ({ kind: 'conflict', versions: new Map() }));
    saving.save(some(2));
    await settled();
    assert.equal(sent.length, 1);
    assert.deepEqual(said.at(-1), 'given back t0 t1');
});

test('a refusal is found by halving, and only its cells are refused', async () => {
    const bad = new Set(['t3', 't17']);
    const { sent, said, saving } = desk((entries) => ([...entries.keys()].some((id) => bad.has(id))
        ? { kind: 'refused', message: 'locked' } : entered(entries)));
    saving.save(some(32));
    for (let i = 0; i < 10; i++) {
        await settled();
    }
    assert.deepEqual(said.filter((one) => one.startsWith('refused')),
        ['refused locked: t3', 'refused locked: t17']);
    const kept = said.filter((one) => one.startsWith('saved ')).flatMap((one) => one.split(' ').slice(1));
    assert.equal(kept.length, 30);
    assert.ok(sent.length <= 22, `in ${sent.length} calls`);
});

test('a refusal of whatever is sent is asked for once a chunk', async () => {
    const { sent, said, saving } = desk(() => ({ kind: 'refused', message: 'locked', whole: true }));
    saving.save(some(450));
    await settled();
    assert.deepEqual(sent.map(({ ids }) => ids.length), [200, 200, 50]);
    const refused = said.filter((one) => one.startsWith('refused locked: '))
        .flatMap((one) => one.split(' ').slice(2));
    assert.deepEqual(refused, [...some(450).keys()]);
    assert.ok(!saving.busy);
});

test('a grid that is closed sends nothing more', async () => {
    const { hands, sent, said, saving } = desk(() => unreachable);
    saving.save(some(2));
    await settled();
    saving.stop();
    await hands.pass(60_000);
    assert.equal(sent.length, 1);
    assert.ok(!said.some((one) => one.startsWith('saved')));
});

test('whatever the network does, each is entered once, drawn at random', async () => {
    const draw = random(SEED);
    for (let round = 0; round < 100; round++) {
        const done = new Map<string, Outcome>();
        const times = new Map<string, number>();
        const { hands, said, saving } = desk((entries, key) => {
            if (draw(3) === 0) {
                return unreachable;
            }
            const before = done.get(key);
            const outcome = before ?? entered(entries);
            if (!before) {
                entries.forEach((_, id) => times.set(id, (times.get(id) ?? 0) + 1));
                done.set(key, outcome);
            }
            return draw(3) === 0 ? unreachable : outcome;
        });
        const count = 1 + draw(500);
        saving.save(some(count));
        await hands.pass(10_000_000);
        assert.equal(times.size, count, `LIMS_SEED=${SEED}`);
        assert.ok([...times.values()].every((one) => one === 1), `LIMS_SEED=${SEED}`);
        assert.equal(said.filter((one) => one.startsWith('saved ')).length, Math.ceil(count / 200));
    }
});

test('what the service takes by itself only is sent by itself', async () => {
    const { sent, saving } = desk(entered, (entry) => entry === '1' || entry === '3');
    saving.save(some(5));
    await settled();
    assert.deepEqual(sent.map(({ ids }) => ids.join(' ')), ['t1', 't3', 't0 t2 t4']);
});

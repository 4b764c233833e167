// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { digitsOf, layOut, stepOf } from '../../../../modules/application/web/charts/levey-jennings.ts';
import type { ChartPoint } from '../../../../modules/application/web/charts/levey-jennings.ts';
import { choose, optionsOf } from '../../../../modules/application/web/pages/qc-series/choice.ts';

const point = (value: number, broken: string[] = [], rest: Partial<ChartPoint> = {}): ChartPoint =>
    ({ value, broken, excluded: false, passed: true, ...rest });

const near = (got: number | undefined, expected: number): void =>
    assert.ok(got !== undefined && Math.abs(got - expected) < 1e-6, `${got} is not ${expected}`);

test('a value stands at its height, the mean in the middle', () => {
    const { places, lines, top, bottom } = layOut({ mean: 100, s: 2, baseline: 0,
        points: [point(100), point(106), point(94)] });
    const line = (label: string) => lines.find((one) => one.label === label);
    near(places[0]?.y, (top + bottom) / 2);
    near(places[1]?.y, line('+3 s')?.y ?? 0);
    near(places[2]?.y, line('−3 s')?.y ?? 0);
    near(line('+2 s')?.value, 104);
});

test('a limit of the method stands at its height where the drawing has room for it', () => {
    const { methodLimits, lines } = layOut({ mean: 100, s: 2, baseline: 0, limits: [90, 104],
        points: [point(100)] });
    assert.deepEqual(methodLimits.map(({ value }) => value), [104]);
    near(methodLimits[0]?.y, lines.find(({ label }) => label === '+2 s')?.y ?? 0);
});

test('points stand at equal distances between the edges', () => {
    const { places, left, right } = layOut({ mean: 1, s: 1, baseline: 0,
        points: [point(1), point(1), point(1), point(1)] });
    near(places[0]?.x, left + (right - left) / 8);
    near(places[3]?.x, right - (right - left) / 8);
});

test('neighbours that break one rule are one run; a point left out ends none', () => {
    const { runs, places } = layOut({ mean: 0, s: 1, baseline: 0, points: [
        point(1.2, ['4-1s']), point(9, [], { excluded: true }), point(1.3, ['4-1s', '1-3s']),
        point(0), point(1.2, ['4-1s']),
    ] });
    assert.deepEqual(runs.map(({ rule, from, to }) => [rule, from, to]),
        [['4-1s', 0, 2], ['1-3s', 2, 2], ['4-1s', 4, 4]]);
    assert.equal(places[2]?.rule, '1-3s');
    assert.equal(places[1]?.rule, undefined);
});

test('names that would touch stand in rows of their own, and the drawing makes room', () => {
    const few = layOut({ mean: 0, s: 1, baseline: 0, points: [point(4, ['1-3s'])] });
    const more = layOut({ mean: 0, s: 1, baseline: 0, points: [point(4, ['1-3s', '2-2s', '10-x'])] });
    assert.equal(new Set(more.runs.map(({ y }) => y)).size, 3);
    near(more.height - few.height, 28);
    assert.ok(Math.max(...more.runs.map(({ y }) => y)) < more.top);
});

test('a value far away stands at the edge, and does not flatten the others', () => {
    const { places, top, low, high } = layOut({ mean: 100, s: 1, baseline: 0,
        points: [point(100), point(850)] });
    assert.deepEqual([places[1]?.y, places[1]?.beyond, places[0]?.beyond], [top, true, false]);
    assert.deepEqual([low, high], [94, 106]);
});

test('the baseline ends with the last accepted point that it is of', () => {
    const points = [point(1), point(2, [], { passed: false }), point(3, [], { excluded: true }),
        point(1), point(1)];
    const { base, places } = layOut({ mean: 1, s: 1, baseline: 2, points });
    near(base?.x2, places[3]?.x ?? 0);
    assert.equal(layOut({ mean: 1, s: 1, baseline: 9, points }).base, null);
});

test('without a deviation there is no limit, and nothing divides by it', () => {
    const { lines, places } = layOut({ mean: 5, s: 0, baseline: 0, points: [point(5), point(5)] });
    assert.deepEqual(lines.map(({ kind }) => kind), ['mean']);
    assert.ok(places.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
    const empty = layOut({ mean: null, s: null, baseline: 0, points: [] });
    assert.deepEqual([empty.lines, empty.places, empty.xTicks], [[], [], []]);
});

test('marks stand at round numbers', () => {
    assert.deepEqual([stepOf(41, 12), stepOf(1000, 12), stepOf(0.7, 5)], [5, 100, 0.2]);
    const { xTicks, yTicks } = layOut({ mean: 99.07, s: 1.83, baseline: 0,
        points: Array.from({ length: 41 }, () => point(99)) });
    assert.deepEqual(xTicks.map(({ run }) => run), [1, 5, 10, 15, 20, 25, 30, 35, 40]);
    assert.ok(yTicks.length >= 3 && yTicks.every(({ value }) => Number.isInteger(value)));
    assert.deepEqual([digitsOf(1.8), digitsOf(0.02), digitsOf(250)], [2, 4, 0]);
});

test('a small deviation is not shown as nothing', () => {
    for (const s of [4e-5, 4e-7, 1e-9]) {
        assert.equal(Number(s.toFixed(digitsOf(s))), s);
    }
});

test('1,000 points are laid out in less than 50 ms', () => {
    const points = Array.from({ length: 1000 }, (_, i) =>
        point(100 + Math.sin(i), i % 7 ? [] : ['1-2s', '10-x']));
    const times = Array.from({ length: 5 }, () => {
        const begin = performance.now();
        layOut({ mean: 100, s: 0.5, baseline: 20, points });
        return performance.now() - begin;
    });
    assert.ok(Math.min(...times) < 50, `${times}`);
});

test('another control of the analyte is the one that differs least', () => {
    const one = (id: number, testDefinitionId: number, controlType: string, level: string | null,
        lot: string | null) => ({ id, testDefinitionId, controlType, level, lot,
        criterion: 'recovery', instrumentId: null });
    const all = [one(1, 1, 'LFB', '50', 'A'), one(2, 1, 'LFB', '20', 'A'), one(3, 1, 'LFB', '20', 'B'),
        one(4, 2, 'LFB', '20', 'B'), one(5, 2, 'LFM', null, null)] as const;
    const [, , third] = all;
    assert.deepEqual(optionsOf([...all], third, 'level'), ['50', '20']);
    assert.deepEqual(optionsOf([...all], third, 'lot'), ['A', 'B']);
    assert.equal(choose([...all], third, 'testDefinitionId', '2').id, 4);
    assert.equal(choose([...all], third, 'level', '50').id, 1);
});

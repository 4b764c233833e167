// SPDX-License-Identifier: Apache-2.0
//
// Layout of a Levey-Jennings chart: points in order of time at equal distances, the mean and one,
// two and three standard deviations, marks of broken rules above. Pure: takes and returns numbers,
// in the units of the drawing.
export interface ChartPoint {
    value: number;
    broken: string[];
    excluded: boolean;
    passed: boolean | null;
}

export interface Series {
    points: ChartPoint[];
    mean: number | null;
    s: number | null;
    // Number of accepted points, counted from the first, that mean and s were computed from; 0:
    // from none of those shown.
    baseline: number;
    // Acceptance limits of the method: of the latest control.
    limits?: number[];
}

export interface Line {
    kind: 'limit' | 'warn' | 'one' | 'mean';
    label: string;
    value: number;
    y: number;
}

// Neighbouring points that break one rule together.
export interface Run {
    rule: string;
    from: number;
    to: number;
    x1: number;
    x2: number;
    y: number;
}

export interface Place {
    x: number;
    y: number;
    // Rule whose shape the point has; undefined: it breaks none.
    rule: string | undefined;
    // Whether the value lies outside the drawing; the point then stands at its edge.
    beyond: boolean;
}

export interface Layout {
    width: number;
    height: number;
    left: number;
    right: number;
    top: number;
    bottom: number;
    places: Place[];
    lines: Line[];
    // Limits of the method that the drawing has room for.
    methodLimits: { y: number; value: number }[];
    runs: Run[];
    xTicks: { x: number; run: number }[];
    yTicks: { y: number; value: number }[];
    base: { x1: number; x2: number } | null;
    low: number;
    high: number;
}

const width = 1100;
const left = 44;
const right = 988;
const plot = 300;
const rowHeight = 14;

// The shape of a point that breaks several rules is that of the first of them.
export const ruleOrder = ['1-3s', 'R-4s', '2-2s', '4-1s', '3-1s', '10-x', '7-T', '1-2s'];

// Returns a step of 1, 2 or 5 times a power of ten, so that there are at most so many steps.
export function stepOf(span: number, most: number): number {
    const rough = span / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough * (1 - 1e-9))
        ?? 10 * power;
}

// Returns the decimal places that show a hundredth of the deviation, however small it is; 20
// is more than a laboratory's units need.
export function digitsOf(s: number): number {
    return s > 0 ? Math.max(0, Math.min(20, 2 - Math.floor(Math.log10(s)))) : 2;
}

function extent({ points, mean, s }: Series): { low: number; high: number } {
    const values = points.map(({ value }) => value);
    if (mean !== null && s !== null && s > 0) {
        const far = Math.max(...values.map((value) => Math.abs(value - mean) / s), 0);
        const half = Math.min(Math.max(3.9, far + 0.4), 6) * s;
        return { low: mean - half, high: mean + half };
    }
    const low = Math.min(...values, mean ?? Infinity);
    const high = Math.max(...values, mean ?? -Infinity);
    if (!Number.isFinite(low)) {
        return { low: 0, high: 1 };
    }
    const room = (high - low) * 0.15 || Math.abs(high) * 0.1 || 1;
    return { low: low - room, high: high + room };
}

function linesOf({ mean, s }: Series, y: (value: number) => number): Line[] {
    if (mean === null) {
        return [];
    }
    const middle: Line = { kind: 'mean', label: 'mean', value: mean, y: y(mean) };
    if (s === null || s <= 0) {
        return [middle];
    }
    const kinds = { 1: 'one', 2: 'warn', 3: 'limit' } as const;
    return ([3, 2, 1, 0, -1, -2, -3] as const).map((k) => k === 0 ? middle : {
        kind: kinds[Math.abs(k) as 1 | 2 | 3],
        label: `${k > 0 ? '+' : '−'}${Math.abs(k)} s`,
        value: mean + k * s,
        y: y(mean + k * s),
    });
}

// Points that are left out stand between others and end no run.
function runsOf(points: ChartPoint[]): { rule: string; from: number; to: number }[] {
    const open = new Map<string, { rule: string; from: number; to: number }>();
    const runs: { rule: string; from: number; to: number }[] = [];

    points.forEach(({ broken, excluded }, i) => {
        if (excluded) {
            return;
        }
        for (const rule of open.keys()) {
            if (!broken.includes(rule)) {
                open.delete(rule);
            }
        }
        for (const rule of broken) {
            const run = open.get(rule);
            if (run) {
                run.to = i;
            } else {
                const begun = { rule, from: i, to: i };
                open.set(rule, begun);
                runs.push(begun);
            }
        }
    });
    return runs;
}

// Places each name in the lowest row where it touches no other; y counts from that row on.
function placed(runs: { rule: string; from: number; to: number }[], x: (i: number) => number): Run[] {
    const ends: number[] = [];
    return runs.map((run) => {
        const half = run.rule.length * 4 + 4;
        const x1 = x(run.from);
        const x2 = x(run.to);
        const begin = Math.min(x1 - 6, (x1 + x2) / 2 - half);
        const row = ends.findIndex((end) => end <= begin);
        const at = row < 0 ? ends.length : row;
        ends[at] = Math.max(x2 + 6, (x1 + x2) / 2 + half);
        return { ...run, x1, x2, y: at };
    });
}

function baseOf({ points, baseline }: Series, x: (i: number) => number): Layout['base'] {
    let remaining = baseline;
    const last = points.findIndex(({ passed, excluded }) =>
        passed !== false && !excluded && --remaining === 0);
    return baseline === 0 || last < 0 ? null : { x1: left, x2: x(last) };
}

function ticks(low: number, high: number, step: number): number[] {
    const first = Math.ceil(low / step);
    const last = Math.floor(high / step);
    return Array.from({ length: Math.max(0, last - first + 1) },
        (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export function layOut(series: Series): Layout {
    const { points } = series;
    const { low, high } = extent(series);
    const distance = (right - left) / Math.max(points.length, 1);
    const x = (i: number): number => left + distance * (i + 0.5);
    const named = placed(runsOf(points), x);
    const rows = Math.max(1, ...named.map((run) => run.y + 1));
    const top = 16 + rowHeight * rows;
    const bottom = top + plot;
    const y = (value: number): number => bottom - (value - low) / (high - low) * plot;
    const run = stepOf(Math.max(points.length, 1), 12);

    return {
        width, height: bottom + 30, left, right, top, bottom, low, high,
        places: points.map(({ value, broken, excluded }, i) => ({
            x: x(i),
            y: Math.max(top, Math.min(bottom, y(value))),
            rule: excluded ? undefined : ruleOrder.find((rule) => broken.includes(rule)),
            beyond: value < low || value > high,
        })),
        lines: linesOf(series, y),
        methodLimits: (series.limits ?? []).filter((value) => value >= low && value <= high)
            .map((value) => ({ value, y: y(value) })),
        runs: named.map((one) => ({ ...one, y: rowHeight * (rows - one.y) + 4 })),
        xTicks: points.flatMap((_, i) => i === 0 || (i + 1) % Math.max(run, 1) === 0
            ? [{ x: x(i), run: i + 1 }] : []),
        yTicks: ticks(low, high, stepOf(high - low, 5)).map((value) => ({ value, y: y(value) })),
        base: baseOf(series, x),
    };
}

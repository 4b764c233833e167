// SPDX-License-Identifier: Apache-2.0
//
// A chart in words: for its caption, for people who cannot see it, and for the table that is
// copied.
import type { QcPoint, QcSeries } from '../../actions/qc-series.ts';
import { digitsOf } from '../../charts/levey-jennings.ts';
import type { Layout, Series } from '../../charts/levey-jennings.ts';
import { dateOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';

const texts = t.charts;

// The service sends at most so many points, the latest.
const most = 1000;

// The limits of the latest control: of the method, as it is now.
function methodLimits(points: QcPoint[]): number[] {
    const last = points.at(-1);
    return [last?.lowerLimit ?? null, last?.upperLimit ?? null].filter((limit) => limit !== null);
}

// The baseline is drawn where its first point is among those shown.
export function seriesOf({ points, baseline }: QcSeries, period: boolean): Series {
    const whole = !period && points.length < most && baseline.kind === 'first';
    return {
        points, mean: baseline.mean, s: baseline.s,
        baseline: whole ? baseline.n ?? 0 : 0,
        limits: methodLimits(points),
    };
}

export const brokenText = ({ runs }: Layout): string => runs.length === 0 ? texts.brokenNone
    : texts.broken(runs.length, runs.map(({ rule, from, to }) =>
        texts.brokenAt(rule, from + 1, to + 1)).join(', '));

export function baseText({ baseline }: QcSeries, unit: string): string {
    const { kind, n, mean, s } = baseline;
    if (mean === null || s === null || s === 0 || (kind === 'first' && (n ?? 0) < 5)) {
        return texts.noBase;
    }
    const digits = digitsOf(s);
    return texts.base(mean.toFixed(digits), s.toFixed(digits), unit,
        kind === 'fixed' ? texts.baseFixed : texts.baseFirst(n ?? 0));
}

const limit = (value: number | null): string => value === null ? '' : String(value);

export const limitsOf = ({ lowerLimit, upperLimit }: QcPoint): string =>
    [limit(lowerLimit), limit(upperLimit)].filter(Boolean).join(' – ');

// Limits of the method that the drawing has no room for.
export function outsideText(points: QcPoint[], { low, high }: Layout): string {
    const outside = methodLimits(points).filter((value) => value < low || value > high)
        .map(String);
    const [one = '', other] = outside;
    return outside.length === 0 ? '' : texts.outside(other ? texts.and(one, other) : one);
}

// Formats a z score with a true minus sign, which is as wide as a plus.
export const signed = (z: number | null): string => z === null ? ''
    : `${z < 0 ? '−' : '+'}${Math.abs(z).toFixed(2)}`;

export const verdictOf = ({ passed }: QcPoint): string =>
    passed === null ? '' : passed ? texts.passed : texts.failed;

export function tableOf({ points }: QcSeries, zone: string): string[][] {
    const { columns } = texts;
    return [
        [columns.run, columns.date, columns.batch, columns.found, columns.z, columns.rule,
            columns.limits, columns.verdict, columns.out],
        ...points.map((point, i) => [String(i + 1), dateOf(point.measuredAt, zone),
            point.batchNumber, String(point.value), point.z === null ? '' : String(point.z),
            point.broken.join(' '), limitsOf(point), verdictOf(point), point.reason ?? '']),
    ];
}

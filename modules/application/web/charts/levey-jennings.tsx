// SPDX-License-Identifier: Apache-2.0
//
// A Levey-Jennings chart: the data in ink, the limits as hairlines with their value at the
// right edge, a broken rule by shape at its point and by name above it.
import { memo } from 'react';
import type { ReactElement } from 'react';

import { digitsOf } from './levey-jennings.ts';
import type { Layout, Place } from './levey-jennings.ts';
import { shapeOf } from './shapes.ts';

export interface Words {
    title: string;
    description: string;
    baseline: string;
    methodLimit: (value: number) => string;
    point: (index: number) => string;
}

interface Properties {
    layout: Layout;
    s: number;
    words: Words;
    excluded: boolean[];
    // Point that has the cursor of the table.
    cursor: number | null;
    choose: (index: number) => void;
}

function Lines({ layout, s }: { layout: Layout; s: number }): ReactElement {
    const { left, right, lines, width } = layout;
    const warn = lines.filter(({ kind }) => kind === 'warn');
    const [upper, lower] = warn;
    return (
        <>
            {upper && lower ? <rect className="band" x={left} y={upper.y} width={right - left}
                height={lower.y - upper.y} /> : null}
            {lines.map(({ kind, label, value, y }) => (
                <g key={label}>
                    <line className={kind} x1={left} x2={right} y1={y} y2={y} />
                    <text x={right + 8} y={y + 4}>
                        <tspan className="quiet">{label}</tspan>
                        <tspan x={width - 8} textAnchor="end">{value.toFixed(digitsOf(s))}</tspan>
                    </text>
                </g>
            ))}
        </>
    );
}

// The names of these limits stand inside: the right edge has the values of the standard deviations.
function MethodLimits({ layout, words }: { layout: Layout; words: Words }): ReactElement {
    return (
        <>
            {layout.methodLimits.map(({ y, value }) => (
                <g key={value}>
                    <line className="method" x1={layout.left} x2={layout.right} y1={y} y2={y} />
                    <text className="quiet" x={layout.left + 4} y={y - 4}>
                        {words.methodLimit(value)}
                    </text>
                </g>
            ))}
        </>
    );
}

function Axes({ layout, baseline }: { layout: Layout; baseline: string }): ReactElement {
    const { left, bottom, xTicks, yTicks, base } = layout;
    return (
        <>
            {yTicks.map(({ y, value }) => (
                <text key={value} className="tick" x={left - 8} y={y + 4} textAnchor="end">{value}</text>
            ))}
            {xTicks.map(({ x, run }) => (
                <text key={run} className="tick" x={x} y={bottom + 20} textAnchor="middle">{run}</text>
            ))}
            {base ? (
                <>
                    <line className="base" x1={base.x1} x2={base.x2} y1={bottom + 2} y2={bottom + 2} />
                    <text className="tick" x={base.x1 + 4} y={bottom - 8}>{baseline}</text>
                </>
            ) : null}
        </>
    );
}

function Rules({ layout }: { layout: Layout }): ReactElement {
    const { runs, places } = layout;
    return (
        <>
            {runs.map(({ rule, from, to, x1, x2, y }) => (
                <g key={`${rule} ${from}`}>
                    {from === to
                        ? <line className="lead" x1={x1} x2={x1} y1={y + 4}
                            y2={(places[from]?.y ?? y) - 9} />
                        : <path className="lead" d={`M${x1} ${y + 12}v-5H${x2}v5`} />}
                    <text className="rule" x={(x1 + x2) / 2} y={y} textAnchor="middle">{rule}</text>
                </g>
            ))}
        </>
    );
}

function Point({ place, excluded, title, choose }: {
    place: Place; excluded: boolean; title: string; choose: () => void;
}): ReactElement {
    const { x, y, rule, beyond } = place;
    if (rule === undefined && !beyond) {
        return (
            <circle className={excluded ? 'out' : undefined} cx={x} cy={y} r={excluded ? 4 : 3}
                onClick={choose}><title>{title}</title></circle>
        );
    }
    return (
        <path className={excluded ? 'out' : 'broken'} d={shapeOf(rule ?? '')}
            transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} onClick={choose}>
            <title>{title}</title>
        </path>
    );
}

const line = (layout: Layout, excluded: boolean[]): string => layout.places
    .filter((_, i) => !excluded[i]).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

const Points = memo(function Points({ layout, words, excluded, choose }: Omit<Properties,
    'cursor' | 's'>): ReactElement {
    return (
        <g className="points">
            <polyline className="path" points={line(layout, excluded)} />
            {layout.places.map((place, i) => (
                <Point key={i} place={place} excluded={excluded[i] ?? false} title={words.point(i)}
                    choose={() => choose(i)} />
            ))}
        </g>
    );
});

export function LeveyJennings(chart: Properties): ReactElement {
    const { layout, words, cursor, s } = chart;
    const here = cursor === null ? undefined : layout.places[cursor];
    return (
        <svg className="chart" viewBox={`0 0 ${layout.width} ${layout.height}`} role="img"
            aria-label={`${words.title}. ${words.description}`}>
            <Lines layout={layout} s={s} />
            <MethodLimits layout={layout} words={words} />
            <Axes layout={layout} baseline={words.baseline} />
            {here ? <line className="here" x1={here.x} x2={here.x} y1={layout.top}
                y2={layout.bottom} /> : null}
            <Points layout={layout} words={words} excluded={chart.excluded}
                choose={chart.choose} />
            <Rules layout={layout} />
        </svg>
    );
}

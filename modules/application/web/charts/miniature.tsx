// SPDX-License-Identifier: Apache-2.0
//
// A Levey-Jennings chart at a glance: the last runs between two standard deviations, and where
// one of them stands.
import type { ReactElement } from 'react';

import { layOut } from './levey-jennings.ts';
import type { Series } from './levey-jennings.ts';

const most = 20;
const [width, height, edge] = [240, 72, 8];

interface Properties {
    series: Series;
    // Index of the point that is highlighted.
    at: number;
    label: string;
}

export function Miniature({ series, at, label }: Properties): ReactElement {
    const first = Math.max(0, Math.min(at - most + 1, series.points.length - most));
    const points = series.points.slice(first, first + most);
    const { places, lines, left, right, top, bottom } = layOut({ ...series, points, baseline: 0 });
    const x = (value: number): number =>
        edge + (value - left) / (right - left) * (width - 2 * edge);
    const y = (value: number): number =>
        edge + (value - top) / (bottom - top) * (height - 2 * edge);
    const seen = places.filter((_, i) => !points[i]?.excluded);
    const here = places[at - first];

    return (
        <svg className="chart small" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
            {lines.filter(({ kind }) => kind !== 'one').map(({ kind, label: name, y: line }) => (
                <line key={name} className={kind} x1={0} x2={width} y1={y(line)} y2={y(line)} />
            ))}
            <polyline className="path" points={seen.map((place) =>
                `${x(place.x).toFixed(1)},${y(place.y).toFixed(1)}`).join(' ')} />
            {places.map((place, i) => (
                <circle key={i} cx={x(place.x)} cy={y(place.y)} r={2}
                    className={points[i]?.excluded ? 'out' : place.rule ? 'broken' : undefined} />
            ))}
            {here ? <circle className="this" cx={x(here.x)} cy={y(here.y)} r={5} /> : null}
        </svg>
    );
}

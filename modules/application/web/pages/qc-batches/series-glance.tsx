// SPDX-License-Identifier: Apache-2.0
//
// The chart of a control, at a glance: where it stands among the runs before it.
import type { ReactElement } from 'react';

import type { QcControl } from '../../actions/qc-batches.ts';
import { useRead } from '../../api/read.ts';
import { Miniature } from '../../charts/miniature.tsx';
import { Glance } from '../../parts/glance.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { signed } from '../qc-series/describe.ts';

const texts = t.batches;

function Look({ control, seriesId }: { control: QcControl; seriesId: number }): ReactElement {
    const found = useRead('/qc-series/{id}', { params: { path: { id: seriesId } } });
    if (!found.data || found.data.id !== seriesId) {
        return <span className="quiet">{found.error ? t.sentence(found.error) : texts.glanceWaits}</span>;
    }
    const { points, baseline } = found.data;
    const at = points.findIndex(({ qcControlId }) => qcControlId === control.id);
    const point = points[at];
    const said = texts.glance(points.length, point ? at + 1 : null, signed(point?.z ?? null),
        point?.broken ?? []);
    return (
        <>
            <Miniature series={{ points, mean: baseline.mean, s: baseline.s, baseline: 0 }}
                at={point ? at : points.length - 1} label={said} />
            <span className="caption">{said}</span>
        </>
    );
}

export function SeriesLink({ control }: { control: QcControl }): ReactElement | null {
    return control.qcSeriesId === null ? null : (
        <Glance look={<Look control={control} seriesId={control.qcSeriesId} />}>
            <Link href={paths.qcSeries(control.qcSeriesId)}>{texts.chart}</Link>
        </Glance>
    );
}

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const ControlCharts = later(async () => (await import('./chart-page.tsx')).ControlCharts);

export const qcSeriesRoutes: Route[] = [
    {
        pattern: '/qc-series/:id?/:panel?',
        rail: { group: 'work', place: 100, title: t.charts.title },
        permission: 'data.read',
        page: ({ id, panel }) => (
            <ControlCharts id={id === undefined ? undefined : Number(id)}
                change={panel === 'change'} />
        ),
    },
];

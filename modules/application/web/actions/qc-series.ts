// SPDX-License-Identifier: Apache-2.0
//
// Actions on a control chart: excluding a point and including it again, changing the baseline and
// the rules.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

export type QcSeries = Read<'/qc-series/{id}'>;
export type QcPoint = QcSeries['points'][number];

export interface AtPoint {
    series: QcSeries;
    // The point that has the cursor of the table, with its number in the chart.
    at: { point: QcPoint; run: number } | undefined;
    table: () => string[][];
}

export const chartsChanged = (): Promise<void> =>
    changed('/qc-series', '/qc-series/{id}', '/qc-controls', '/qc-batches/{id}');

function exclude({ at }: AtPoint, excluded: boolean): void {
    if (!at) {
        return;
    }
    const { point, run } = at;
    ask({
        kind: 'reason',
        title: excluded ? t.charts.leaveOut(run) : t.charts.takeIn(run),
        note: point.batchNumber,
        ...(excluded ? { explanation: t.charts.leaveOutWhat } : {}),
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await answer(api.POST('/qc-controls/{id}/exclude', {
                params: { path: { id: point.qcControlId } }, body: { excluded, reason },
            }));
            await chartsChanged();
            say({ tone: 'ready', text: excluded ? t.charts.leftOut(run) : t.charts.takenIn(run) });
        },
    });
}

async function copy({ table }: AtPoint): Promise<void> {
    const rows = table();
    await navigator.clipboard.writeText(rows.map((row) => row.join('\t')).join('\n'));
    say({ tone: 'ready', text: t.charts.copied(rows.length - 1) });
}

export const chartActions: Action<AtPoint>[] = [
    {
        id: 'qc-point.exclude',
        title: ({ at }) => t.charts.leaveOut(at?.run ?? 0),
        permission: 'qc.override',
        keys: 'o',
        visible: ({ at }) => at !== undefined && !at.point.excluded,
        perform: (about) => exclude(about, true),
    },
    {
        id: 'qc-point.include',
        title: ({ at }) => t.charts.takeIn(at?.run ?? 0),
        permission: 'qc.override',
        keys: 'o',
        visible: ({ at }) => at?.point.excluded === true,
        perform: (about) => exclude(about, false),
    },
    {
        id: 'qc-series.change',
        title: () => t.charts.change,
        permission: 'reference.manage',
        rare: true,
        perform: ({ series }) => navigate(paths.qcSeries(series.id, 'change')),
    },
    {
        id: 'qc-series.copy',
        title: () => t.charts.copy,
        rare: true,
        perform: copy,
    },
];

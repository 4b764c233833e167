// SPDX-License-Identifier: Apache-2.0
//
// Control charts (S16): one series of a control, drawn and as a table.
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { chartActions } from '../../actions/qc-series.ts';
import type { QcSeries } from '../../actions/qc-series.ts';
import { rowsOf, useDefinitions } from '../../api/names.ts';
import type { Definition } from '../../api/names.ts';
import { useAll, useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { layOut } from '../../charts/levey-jennings.ts';
import { LeveyJennings } from '../../charts/levey-jennings.tsx';
import { Nothing, Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { Link, navigate, useAddress } from '../../router.tsx';
import { searchWith } from '../../table/filter.ts';
import { Period, momentsIn } from '../../table/period.tsx';
import { t } from '../../texts/texts.ts';
import { dateOf } from '../../texts/time.ts';
import { ChangeSeries } from './change.tsx';
import { baseText, brokenText, outsideText, seriesOf, tableOf } from './describe.ts';
import { Picker } from './picker.tsx';
import type { Listed } from './picker.tsx';
import { Points } from './points.tsx';

const texts = t.charts;

function captionOf(series: QcSeries, definition: Definition | undefined): string {
    const control = [series.controlType, series.level, series.lot].filter(Boolean).join(' ');
    return texts.caption(definition?.name ?? '', control, definition?.method ?? '',
        series.points.length);
}

// Recovery is in percent, whatever the test's unit is.
const unitOf = (series: QcSeries, definition: Definition | undefined): string =>
    series.criterion === 'recovery' ? '%' : definition?.unit ?? '';

function Drawing({ series, caption, unit, cursor }: {
    series: QcSeries; caption: string; unit: string; cursor: number | null;
}): ReactElement {
    const { organization: { timeZone } } = useSession();
    const { search } = useAddress();
    const layout = useMemo(() => layOut(seriesOf(series, search !== '')), [series, search]);
    const excluded = useMemo(() => series.points.map((point) => point.excluded), [series]);
    const words = useMemo(() => ({
        title: caption,
        description: texts.describe(baseText(series, unit), `${brokenText(layout)}.`),
        baseline: texts.baseline(series.baseline.n ?? 0),
        methodLimit: (value: number) => texts.methodLimit(`${value} ${unit}`),
        point: (i: number) => {
            const point = series.points[i];
            return point ? texts.point(i + 1, dateOf(point.measuredAt, timeZone),
                point.batchNumber, `${point.value} ${unit}`, point.broken.join(', ')) : '';
        },
    }), [series, caption, unit, layout, timeZone]);
    const choose = useCallback((i: number) => {
        const point = series.points[i];
        if (point) {
            navigate(paths.qcBatch(point.qcBatchId));
        }
    }, [series]);
    const outside = outsideText(series.points, layout);
    const broken = layout.runs.length > 0;

    return (
        <figure className="figure" aria-label={texts.figure}>
            <figcaption className="line">
                <strong className="nowrap">{caption}</strong>
                <span className="quiet cut" title={outside}>{outside}</span>
                <span className="push">
                    <Status glyph={broken ? 'attention' : 'ready'}
                        tone={broken ? 'attention' : 'ready'}>{brokenText(layout)}</Status>
                </span>
            </figcaption>
            <LeveyJennings layout={layout} s={series.baseline.s ?? 0} words={words}
                excluded={excluded} cursor={cursor} choose={choose} />
        </figure>
    );
}

function Opened({ all, series, change }: {
    all: Listed[]; series: QcSeries; change: boolean;
}): ReactElement {
    const { organization: { timeZone }, prints } = useSession();
    const { search, searchParams } = useAddress();
    const period = searchWith(momentsIn(searchParams, timeZone));
    const definition = useDefinitions().get(series.testDefinitionId);
    const rows = useMemo(() => series.points.map((point, i) =>
        ({ ...point, id: point.qcControlId, run: i + 1 })).reverse(), [series]);
    const [chosen, move] = useState<number | null>(null);
    const at = rows.find(({ id }) => id === chosen) ?? rows[0];
    const actions = useMemo(() => allowed(chartActions, {
        series, at: at && { point: at, run: at.run }, table: () => tableOf(series, timeZone),
    }), [series, at, timeZone]);
    const caption = captionOf(series, definition);
    const unit = unitOf(series, definition);

    useActions(actions);
    return (
        <>
            <div className="head run">
                <h1>{texts.one}</h1>
                <Picker all={all} chosen={series} />
                <Period titles={texts} place={(search) => paths.qcSeries(series.id, undefined, search)} />
                <span className="push" />
                <a className="btn" href={paths.download(`/qc-series/${series.id}/export`, period)}
                    download>{texts.csv}</a>
                {prints ? (
                    <a className="btn" target="_blank" rel="noreferrer"
                        href={paths.download(`/qc-series/${series.id}/chart.pdf`, period)}>
                        {t.filters.pdf}
                    </a>
                ) : null}
                <ActBar actions={actions} />
            </div>
            <Drawing series={series} caption={caption} unit={unit}
                cursor={chosen !== null && at ? at.run - 1 : null} />
            <div className="body">
                <div className="pane">
                    <Points rows={rows} unit={unit} cursor={at?.id ?? null} move={move} />
                </div>
            </div>
            <div className="statusline"><span>{baseText(series, unit)}</span></div>
            {change ? <ChangeSeries id={series.id} title={caption}
                close={() => navigate(paths.qcSeries(series.id, undefined, search))} /> : null}
        </>
    );
}

export function ControlCharts({ id, change }: {
    id: number | undefined; change: boolean;
}): ReactElement {
    const { organization } = useSession();
    const { searchParams } = useAddress();
    const [all, loaded] = [useAll('/qc-series', rowsOf<Listed>), useRead('/qc-series',
        { params: { query: { limit: 1 } } })];
    const wanted = id ?? all[0]?.id;
    const found = useRead('/qc-series/{id}', { params: { path: { id: wanted ?? 0 },
        query: momentsIn(searchParams, organization.timeZone) } },
    { live: 30, enabled: wanted !== undefined });
    const series = found.data?.id === wanted ? found.data : undefined;
    const empty = loaded.data?.data.length === 0;

    useEffect(() => {
        document.title = `${texts.title} · ${organization.name}`;
    }, [organization.name]);
    return (
        <main className="page" id="main">
            {series ? <Opened key={series.id} all={all} series={series} change={change} /> : (
                <>
                    <div className="head"><h1>{texts.title}</h1></div>
                    {found.error ? (
                        <NotShown problem={found.error} list={paths.qcSeries()}
                            title={texts.title} />
                    ) : null}
                    {empty ? (
                        <Nothing title={texts.none}>
                            <p className="quiet">{texts.noneWhat}</p>
                            <p><Link href={paths.qcBatches()}>{t.goTo(t.batches.title)}</Link></p>
                        </Nothing>
                    ) : null}
                    {!found.error && !empty ? <Waiting what={texts.title} /> : null}
                </>
            )}
        </main>
    );
}

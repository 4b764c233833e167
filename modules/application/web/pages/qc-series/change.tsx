// SPDX-License-Identifier: Apache-2.0
//
// Baseline of a control chart: the runs that mean and s are computed from, and which of Westgard's
// rules are applied. This form has an address of its own.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { chartsChanged } from '../../actions/qc-series.ts';
import type { QcSeries } from '../../actions/qc-series.ts';
import { answer, api } from '../../api/client.ts';
import { condition, readNow, useAtOpening } from '../../api/read.ts';
import { NotSaved, useNewest } from '../../form/newest.tsx';
import { Button } from '../../parts/button.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

const { form: words, ruleOf } = t.charts;

function Baseline({ series }: { series: QcSeries }): ReactElement {
    const { baseline } = series;
    const [kind, setKind] = useState(baseline.kind);
    return (
        <>
            <p className="field">
                <label htmlFor="kind">{words.kind}</label>
                <select id="kind" name="kind" value={kind} autoFocus
                    onChange={({ target }) => setKind(target.value === 'fixed' ? 'fixed' : 'first')}>
                    <option value="first">{words.first}</option>
                    <option value="fixed">{words.fixed}</option>
                </select>
            </p>
            {kind === 'first' ? (
                <p className="field">
                    <label htmlFor="n">{words.n}</label>
                    <input id="n" name="n" type="number" min={5} max={1000} required
                        defaultValue={series.baselineSize ?? 20} />
                </p>
            ) : (['mean', 's'] as const).map((name) => (
                <p className="field" key={name}>
                    <label htmlFor={name}>{words[name]}</label>
                    <input id={name} name={name} type="number" step="any" required
                        min={name === 's' ? 0 : undefined}
                        defaultValue={baseline[name] ?? ''} />
                </p>
            ))}
        </>
    );
}

function Rules({ series }: { series: QcSeries }): ReactElement {
    return (
        <fieldset>
            <legend className="caption">{words.rules}</legend>
            {Object.entries(ruleOf).map(([rule, meaning]) => (
                <label className="pick" key={rule}>
                    <input type="checkbox" name="rules" value={rule}
                        defaultChecked={series.rules.includes(rule)} />
                    <span><strong>{rule}</strong> {meaning}</span>
                </label>
            ))}
        </fieldset>
    );
}

// The baseline, if the form has another one than the series: mean and s, and with them every mark
// of the chart, follow from it.
function baselineOf(form: FormData, { baseline, baselineSize }: QcSeries): {
    baseline?: QcSeries['baseline'];
} {
    const number = (name: string): number | null =>
        form.get(name) === null ? null : Number(form.get(name));
    const given = {
        kind: form.get('kind') === 'fixed' ? 'fixed' as const : 'first' as const,
        n: number('n'), mean: number('mean'), s: number('s'),
    };
    const stands = given.kind === baseline.kind && (given.kind === 'first'
        ? given.n === baselineSize : given.mean === baseline.mean && given.s === baseline.s);
    return stands ? {} : { baseline: given };
}

// Baseline and rules of a series in a few words.
const standing = ({ baseline: { kind, mean, s }, baselineSize, rules }: QcSeries): string =>
    words.standing(kind === 'fixed' ? words.standingFixed(mean, s)
        : words.standingFirst(baselineSize), rules.join(', '));

function Changing({ series, close }: { series: QcSeries; close: () => void }): ReactElement {
    const path = { params: { path: { id: series.id } } };
    const found = useNewest(series, () => readNow('/qc-series/{id}', path));
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        answer(api.PATCH('/qc-series/{id}', {
            ...path, ...condition(found.newest),
            body: { ...baselineOf(form, found.newest), rules: form.getAll('rules').map(String) },
        })).then(async () => {
            await chartsChanged();
            say({ tone: 'ready', text: t.charts.changed });
            close();
        }).catch(found.refuse);
    };

    return (
        <form onSubmit={submit}>
            <Baseline series={series} />
            <Rules series={series} />
            <NotSaved of={found} words={standing} />
            <footer>
                <Button kind="primary" type="submit" keys="Enter">{words.save}</Button>
                <Button keys="Esc" onPress={close}>{t.cancel}</Button>
            </footer>
        </form>
    );
}

// The series is read without a period: that is the record which is changed.
export function ChangeSeries({ id, title, close }: {
    id: number; title: string; close: () => void;
}): ReactElement {
    const { data, error } = useAtOpening('/qc-series/{id}', { params: { path: { id } } });
    return (
        <SidePanel title={t.charts.change} note={title} close={close}>
            {data?.id === id ? <Changing series={data} close={close} />
                : error ? <Refused problem={error} /> : <Waiting what={t.charts.change} rows={3} />}
        </SidePanel>
    );
}

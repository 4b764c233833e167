// SPDX-License-Identifier: Apache-2.0
//
// The controls of a batch: what was expected, what was found, what the service says of it.
// Controls without a value have their fields open; leaving one has it judged.
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { tell, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import type { QcBatch, QcControl } from '../../actions/qc-batches.ts';
import { useDefinitions } from '../../api/names.ts';
import { may } from '../../api/session.ts';
import { limitsOf } from '../../nouns/qc-numbers.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { SeriesLink } from './series-glance.tsx';
import { judge, needs, save, titleOf } from './values.ts';
import type { Field, Typed, Values, Verdict } from './values.ts';

const texts = t.batches;
const { heads } = texts;

const text = (value: number | string | null): string => value === null ? '' : String(value);

// Entered as percent where the criterion compares percent.
const percent = ({ criterion }: QcControl): boolean => criterion === 'recovery' || criterion === 'rpd';

function Said({ control, verdict }: {
    control: QcControl; verdict: Verdict | undefined;
}): ReactElement {
    const passed = control.passed ?? verdict?.passed ?? null;
    const words = control.passed === null ? texts.would : texts;
    if (verdict?.refusals.length) {
        return <Status glyph="blocked" tone="blocked">{verdict.refusals[0]}</Status>;
    }
    if (passed === null) {
        return <Status glyph="progress" tone="progress">{texts.waits}</Status>;
    }
    return (
        <Status glyph={passed ? 'ready' : 'blocked'} tone={passed ? 'ready' : 'blocked'}>
            {passed ? words.passed : words.failed}
        </Status>
    );
}

function Rules({ control, verdict }: {
    control: QcControl; verdict: Verdict | undefined;
}): ReactElement {
    const broken = control.passed === null ? verdict?.broken ?? [] : control.broken;
    return (
        <>
            {broken.map((rule) => (
                <abbr key={rule} className="flag"
                    title={(t.charts.ruleOf as Record<string, string>)[rule]}>{rule}</abbr>
            ))}{' '}
            <SeriesLink control={control} />
            {control.excluded ? <span className="quiet"> {texts.out}</span> : null}
        </>
    );
}

interface LineProperties {
    control: QcControl;
    name: string;
    code: string;
    open: boolean;
    values: Values;
    verdict: Verdict | undefined;
    type: (field: Field, value: string) => void;
    leave: () => void;
    correct: (() => void) | undefined;
}

function Fields(line: LineProperties & { of: Field[] }): ReactElement {
    const { control, name, values, of, type, leave } = line;
    return (
        <>
            {of.filter((field) => needs(control).includes(field)).map((field) => (
                <input key={field} value={values[field] ?? ''} className="w-code"
                    aria-label={texts.field[field](name)} placeholder={texts.short[field]}
                    autoComplete="off" inputMode={field === 'measuredText' ? 'text' : 'decimal'}
                    onChange={({ target }) => type(field, target.value)} onBlur={leave} />
            ))}
        </>
    );
}

function Line(line: LineProperties): ReactElement {
    const { control, name, code, open, verdict, correct } = line;
    const evaluated = control.evaluatedValue ?? verdict?.evaluated ?? null;
    return (
        <tr className={control.passed === false ? 'look' : undefined}>
            <th scope="row" title={[control.controlType, control.level, control.lot].filter(Boolean)
                .join(', ')}>
                {control.controlType} <span className="quiet">
                    {[control.level, control.lot].filter(Boolean).join(', ')}
                </span>
            </th>
            <td>{code || <span className="quiet">{texts.batchWide}</span>}</td>
            <td className="right">
                {text(control.expectedValue ?? control.expectedText)} {open
                    ? <Fields {...line} of={['expectedValue']} /> : null}
            </td>
            <td className="right">
                {open ? <Fields {...line} of={['nativeValue', 'measuredValue', 'measuredText']} />
                    : <strong>{text(control.measuredValue ?? control.measuredText)}</strong>}{' '}
                <span className="quiet">{control.unit}</span>
                {correct ? (
                    <Button kind="row plain" label={texts.correct(name)} onPress={correct}>
                        {texts.correctShort}
                    </Button>
                ) : null}
            </td>
            <td className="right">
                {percent(control) && evaluated !== null ? `${Number(evaluated.toFixed(2))} %` : ''}
            </td>
            <td className="p1">{limitsOf(control)}</td>
            <td><Said control={control} verdict={verdict} /></td>
            <td className="p2"><Rules control={control} verdict={verdict} /></td>
        </tr>
    );
}

function Table({ children }: { children: ReactElement[] }): ReactElement {
    return (
        <table className="table" aria-label={texts.controls}>
            <thead>
                <tr>
                    <th className="w-short" scope="col">{heads.type}</th>
                    <th className="w-short" scope="col">{heads.analyte}</th>
                    <th className="w-short right" scope="col">{heads.expected}</th>
                    <th className="w-long right" scope="col">{heads.measured}</th>
                    <th className="w-short right" scope="col">{heads.evaluated}</th>
                    <th className="w-due p1" scope="col">{heads.limits}</th>
                    <th className="w-name" scope="col">{heads.verdict}</th>
                    <th className="p2" scope="col">{heads.rules}</th>
                </tr>
            </thead>
            <tbody>{children}</tbody>
        </table>
    );
}

const nothing: Typed = new Map();

export function Controls({ batch, correct }: {
    batch: QcBatch; correct: (control: QcControl) => void;
}): ReactElement {
    const definitions = useDefinitions();
    const [typed, setTyped] = useState<Typed>(nothing);
    const [verdicts, setVerdicts] = useState<ReadonlyMap<Values, Verdict>>(new Map()); // by what was judged
    const enters = may('qc.enter');
    const codeOf = (control: QcControl): string =>
        definitions.get(control.testDefinitionId ?? 0)?.code ?? '';
    const nameOf = (control: QcControl): string => titleOf(control, codeOf(control));
    const type = (id: number, field: Field, value: string): void => setTyped((now) =>
        new Map(now).set(id, { ...now.get(id), [field]: value }));
    const judged = ({ id }: QcControl): Verdict | undefined => {
        const values = typed.get(id);
        return values && verdicts.get(values);
    };
    const leave = (control: QcControl): void => {
        const values = typed.get(control.id);
        if (values) {
            judge(control, values).then((verdict) => {
                if (verdict) {
                    setVerdicts((now) => new Map(now).set(values, verdict));
                }
            }, tell);
        }
    };
    const count = [...typed.values()].filter((values) =>
        Object.values(values).some((value) => value.trim() !== '')).length;
    const release = useUnsaved(count > 0);
    const keep = (): void => {
        save(batch.controls, typed, nameOf).then((done) => {
            release();
            setTyped((now) => new Map([...now].filter(([id]) => !done.includes(id))));
        }, tell);
    };
    const saving: Ready = { id: 'qc-batch.save', title: texts.save(count), keys: 'Mod+s', rare: true,
        refused: count ? undefined : texts.saveNone, run: keep };

    useActions(useMemo(() => enters ? [saving] : [], [enters, typed, batch])); // of this render
    if (batch.controls.length === 0) {
        return <Nothing title={texts.noControls} />;
    }
    return (
        <>
            <Table>
                {batch.controls.map((control) => (
                    <Line key={control.id} control={control} name={nameOf(control)}
                        code={codeOf(control)} open={enters && control.passed === null}
                        values={typed.get(control.id) ?? {}} verdict={judged(control)}
                        type={(field, value) => type(control.id, field, value)}
                        leave={() => leave(control)}
                        correct={enters && control.passed !== null
                            ? () => correct(control) : undefined} />
                ))}
            </Table>
            {enters && batch.controls.some(({ passed }) => passed === null) ? (
                <p className="section">
                    <Button kind="primary" keys="Ctrl S" refused={saving.refused} onPress={keep}>
                        {saving.title}
                    </Button>
                </p>
            ) : null}
        </>
    );
}

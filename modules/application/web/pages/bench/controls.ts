// SPDX-License-Identifier: Apache-2.0
//
// The controls of a batch, inline among its samples: a row for each control, in the order in
// which the template has them, measured by the analytes of the run, or for the run as a whole.
import type { Definition } from '../../api/names.ts';
import { numberOf } from '../../form/number.ts';
import { type Cell, EMPTY, type Opinion, type Row, type Version, cellOf } from '../../grid/sheet.ts';
import { t } from '../../texts/texts.ts';
import type { Control, Run } from './run.ts';

const texts = t.bench.controls;

// Measurand of a column; null: the run as a whole, for controls without an analyte.
export type Measure = Definition | null;

export const measuresOf = (
    { definitions, controls }: Pick<Run, 'definitions' | 'controls'>,
): Measure[] => controls.some(({ testDefinitionId }) => testDefinitionId === null)
    ? [...definitions, null] : [...definitions];

// The id of a control's cell, which no test has.
export const controlCell = (id: number): string => `control ${id}`;

export const isText = ({ criterion }: Pick<Control, 'criterion'>): boolean =>
    criterion === 'expected';

export type Measured =
    | { readonly measuredValue: number | null }
    | { readonly measuredText: string | null };

// Returns the body for a typed value; null: it is no number, and the control is numeric.
export function measuredOf(control: Pick<Control, 'criterion'>, typed: string): Measured | null {
    const text = typed.trim();
    if (isText(control)) {
        return { measuredText: text === '' ? null : text };
    }
    if (text === '') {
        return { measuredValue: null };
    }
    const number = numberOf(text);
    return number === null ? null : { measuredValue: number };
}

interface Judged {
    readonly passed: boolean | null;
    readonly evaluatedValue: number | null;
    readonly broken: readonly string[];
    readonly refusals: readonly { readonly message: string }[];
}

const opinion = (mark: Opinion['mark'], messages: readonly string[]): Opinion =>
    ({ mark, messages, word: '' });

export function controlOpinion(judged: Judged): Opinion {
    const rules = judged.broken.length > 0 ? [texts.broken(judged.broken.join(', '))] : [];
    if (judged.refusals.length > 0) {
        return opinion('refused', judged.refusals.map(({ message }) => message));
    }
    if (judged.passed === false) {
        return opinion('outside', [texts.fails(judged.evaluatedValue), ...rules]);
    }
    if (judged.passed === null) {
        return opinion('none', rules);
    }
    return opinion(rules.length > 0 ? 'attention' : 'within', rules);
}

// Returns the acceptance limits of a control, as text.
function limitOf(control: Control): string {
    const { criterion, lowerLimit, upperLimit, expectedValue, expectedText, unit } = control;
    return texts.limit(criterion, { lower: lowerLimit, upper: upperLimit, value: expectedValue,
        text: expectedText, unit: unit ?? '' });
}

export function controlVersion(control: Control): Version {
    const { measuredValue, measuredText } = control;
    const text = measuredText ?? (measuredValue === null ? '' : String(measuredValue));
    return {
        text,
        opinion: text === '' ? null : controlOpinion({ ...control, refusals: [] }),
        exceptions: {},
        etag: control.updatedAt,
        lock: '',
        limit: limitOf(control),
        reasons: true,
    };
}

export const controlVersions = (controls: readonly Control[]): Map<string, Version> =>
    new Map(controls.map((control) => [controlCell(control.id), controlVersion(control)]));

function cellFor(measure: Measure, controls: readonly Control[]): Cell {
    const control = controls.find((one) => one.testDefinitionId === (measure?.id ?? null));
    return control ? cellOf(controlCell(control.id), controlVersion(control)) : cellOf('', EMPTY);
}

// Makes one row for each time that a control of this type and level is measured.
export function controlRows(
    controls: readonly Control[], measures: readonly Measure[], facts: number,
): Row[] {
    const rows = new Map<string, Control[]>();
    const times = new Map<string, number>();
    for (const control of controls) {
        const name = `${control.controlType} ${control.level ?? ''}`.trim();
        const place = `${name} ${control.testDefinitionId}`;
        const time = (times.get(place) ?? 0) + 1;
        times.set(place, time);
        const key = `${name} ${time}`;
        rows.set(key, [...rows.get(key) ?? [], control]);
    }
    return [...rows].map(([key, ones]) => ({
        key: `control ${key}`,
        label: `${ones[0]?.controlType ?? ''} ${ones[0]?.level ?? ''}`.trim(),
        kind: 'control',
        facts: [texts.types[ones[0]?.controlType ?? ''] ?? '', ...Array<string>(facts - 1).fill('')],
        cells: measures.map((measure) => cellFor(measure, ones)),
    }));
}

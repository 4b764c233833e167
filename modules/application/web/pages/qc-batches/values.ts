// SPDX-License-Identifier: Apache-2.0
//
// Values typed for the controls of a batch: which ones a control still needs, how the service would
// judge them, and saving them all.
import { batchesChanged } from '../../actions/make-batch.ts';
import type { QcControl } from '../../actions/qc-batches.ts';
import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { numberOf } from '../../form/number.ts';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

export type Field = 'expectedValue' | 'nativeValue' | 'measuredValue' | 'measuredText';
export type Values = Partial<Record<Field, string>>;
export type Typed = ReadonlyMap<number, Values>;

export interface Verdict {
    passed: boolean | null;
    evaluated: number | null;
    broken: string[];
    refusals: string[];
}

// A spike is compared with what the sample had before, a duplicate with its first.
const withNative = ['MS', 'LFM', 'MSD'];

export function needs(control: QcControl): Field[] {
    const { criterion, controlType, expectedValue, nativeValue } = control;
    if (criterion === 'expected') {
        return ['measuredText'];
    }
    const native = criterion === 'rpd' || withNative.includes(controlType);
    return [
        ...(criterion === 'recovery' && expectedValue === null ? ['expectedValue' as const] : []),
        ...(native && nativeValue === null ? ['nativeValue' as const] : []),
        'measuredValue',
    ];
}

type Body = Partial<Record<Exclude<Field, 'measuredText'>, number>> & { measuredText?: string };

// Returns the body of a control; undefined: a value it needs is missing or is no number.
export function bodyOf(control: QcControl, values: Values): Body | undefined {
    const body: Body = {};
    for (const field of needs(control)) {
        const text = values[field]?.trim() ?? '';
        const number = numberOf(text);
        if (field === 'measuredText' && text) {
            body.measuredText = text;
        } else if (field !== 'measuredText' && number !== null) {
            body[field] = number;
        } else {
            return undefined;
        }
    }
    return body;
}

export async function judge(control: QcControl, values: Values): Promise<Verdict | undefined> {
    const body = bodyOf(control, values);
    if (!body) {
        return undefined;
    }
    const { results } = await answer(api.POST('/qc-controls/judge', {
        body: { controls: [{ qcControlId: control.id, ...body }] },
    }));
    const [one] = results;
    return one && { passed: one.passed, evaluated: one.evaluatedValue, broken: one.broken,
        refusals: one.refusals.map(({ message }) => message) };
}

export const titleOf = (control: QcControl, code: string): string =>
    [control.controlType, code, control.level].filter(Boolean).join(' ');

// Saves the controls one after the other: the last one evaluates the batch. Returns those that were
// saved.
export async function save(
    controls: QcControl[], typed: Typed, nameOf: (control: QcControl) => string,
): Promise<number[]> {
    const done: number[] = [];
    const refused: string[] = [];
    for (const control of controls) {
        const values = typed.get(control.id);
        const body = values && bodyOf(control, values);
        if (!values || Object.values(values).every((text) => text.trim() === '')) {
            continue;
        }
        try {
            if (!body) {
                throw new Error(t.batches.number);
            }
            await answer(api.PATCH('/qc-controls/{id}',
                { params: { path: { id: control.id } }, body }));
            done.push(control.id);
        } catch (error) {
            const why = error instanceof Error && error.message === t.batches.number
                ? error.message : t.sentence(asProblem(error));
            refused.push(t.batches.notSaved(nameOf(control), why));
        }
    }
    await batchesChanged();
    say({ tone: refused.length ? 'attention' : 'ready', text: t.batches.saved(done.length),
        details: refused });
    return done;
}

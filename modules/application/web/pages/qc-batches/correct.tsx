// SPDX-License-Identifier: Apache-2.0
//
// Another measured value for a control, with a reason; the batch is evaluated again. It has its
// own address.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { batchesChanged } from '../../actions/make-batch.ts';
import type { QcControl } from '../../actions/qc-batches.ts';
import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { numberOf } from '../../nouns/qc-numbers.ts';
import { Button } from '../../parts/button.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { Refused } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

const texts = t.batches;

export function CorrectControl({ control, name, close }: {
    control: QcControl; name: string; close: () => void;
}): ReactElement {
    const [problem, setProblem] = useState<Problem | null>(null);
    const asText = control.criterion === 'expected';
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const value = String(form.get('value'));
        const reason = String(form.get('reason'));
        answer(api.PATCH('/qc-controls/{id}', {
            params: { path: { id: control.id } },
            body: asText ? { measuredText: value, reason } : { measuredValue: numberOf(value), reason },
        })).then(async () => {
            await batchesChanged();
            say({ tone: 'ready', text: texts.corrected(name) });
            close();
        }).catch((error: unknown) => setProblem(asProblem(error)));
    };

    return (
        <SidePanel title={texts.correct(name)} close={close}>
            <form onSubmit={submit}>
                <p className="field">
                    <label htmlFor="value">{texts.correctValue}</label>
                    <input id="value" name="value" autoFocus required autoComplete="off"
                        {...(asText ? {} : { pattern: '[+\\-]?[0-9]*[.,]?[0-9]+' })}
                        title={asText ? undefined : texts.number}
                        defaultValue={control.measuredText ?? control.measuredValue ?? ''} />
                </p>
                <p className="field">
                    <label htmlFor="why">{texts.correctReason}</label>
                    <input id="why" name="reason" required maxLength={1000} autoComplete="off" />
                </p>
                {problem ? <Refused problem={problem} /> : null}
                <footer>
                    <Button kind="primary" type="submit" keys="Enter">{texts.correct(name)}</Button>
                    <Button keys="Esc" onPress={close}>{t.cancel}</Button>
                </footer>
            </form>
        </SidePanel>
    );
}

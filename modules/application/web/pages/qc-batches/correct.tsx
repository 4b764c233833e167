// SPDX-License-Identifier: Apache-2.0
//
// Another measured value for a control, with a reason; the batch is evaluated again. It has its
// own address.
import type { FormEvent, ReactElement } from 'react';

import { batchesChanged } from '../../actions/make-batch.ts';
import { answer, api } from '../../api/client.ts';
import { condition, readNow, useAtOpening } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { NotSaved, useNewest } from '../../form/newest.tsx';
import { numberOf, numberPattern } from '../../form/number.ts';
import { Button } from '../../parts/button.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

const texts = t.batches;

type Control = Read<'/qc-controls/{id}'>;

const measured = ({ measuredText, measuredValue }: Control): string =>
    String(measuredText ?? measuredValue ?? '');

function Correcting({ control, name, close }: {
    control: Control; name: string; close: () => void;
}): ReactElement {
    const path = { params: { path: { id: control.id } } };
    const found = useNewest(control, () => readNow('/qc-controls/{id}', path));
    const asText = control.criterion === 'expected';
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const value = String(form.get('value'));
        const reason = String(form.get('reason'));
        answer(api.PATCH('/qc-controls/{id}', {
            ...path, ...condition(found.newest),
            body: asText ? { measuredText: value, reason } : { measuredValue: numberOf(value), reason },
        })).then(async () => {
            await batchesChanged();
            say({ tone: 'ready', text: texts.corrected(name) });
            close();
        }).catch(found.refuse);
    };

    return (
        <form onSubmit={submit}>
            <p className="field">
                <label htmlFor="value">{texts.correctValue}</label>
                <input id="value" name="value" autoFocus required autoComplete="off"
                    {...(asText ? {} : { pattern: numberPattern })}
                    title={asText ? undefined : texts.number}
                    defaultValue={measured(control)} />
            </p>
            <p className="field">
                <label htmlFor="why">{texts.correctReason}</label>
                <input id="why" name="reason" required maxLength={1000} autoComplete="off" />
            </p>
            <NotSaved of={found} words={measured} />
            <footer>
                <Button kind="primary" type="submit" keys="Enter">{texts.correct(name)}</Button>
                <Button keys="Esc" onPress={close}>{t.cancel}</Button>
            </footer>
        </form>
    );
}

export function CorrectControl({ id, name, close }: {
    id: number; name: string; close: () => void;
}): ReactElement {
    const { data, error } = useAtOpening('/qc-controls/{id}', { params: { path: { id } } });
    return (
        <SidePanel title={texts.correct(name)} close={close}>
            {data?.id === id ? <Correcting control={data} name={name} close={close} />
                : error ? <Refused problem={error} /> : <Waiting what={texts.correct(name)} rows={2} />}
        </SidePanel>
    );
}

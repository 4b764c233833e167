// SPDX-License-Identifier: Apache-2.0
//
// Printing labels of records: the question for size and printer, which this browser remembers,
// and the file. A refusal is shown in the question.
import { useEffect, useId, useState } from 'react';
import type { ReactElement } from 'react';

import type { paths as service } from '#api';

import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { saveFile } from '../parts/save-file.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { t } from '../texts/texts.ts';
import { choose, chosen } from '../theme/choice.ts';

const texts = t.labels;

type Query = service['/labels']['get']['parameters']['query'];
export type Labelled = keyof typeof texts.print;

// Answers to the question; `of` differs from the records' kind for containers.
interface Wanted {
    of: NonNullable<Query['of']>;
    format: 'pdf' | 'zpl';
    size: string;
    skip: number;
}

// As many records as the service prints at once.
const most = 200;

function Pick<Value extends string>({ label, value, values, take, help }: {
    label: string; value: string; values: Readonly<Record<Value, string>>;
    take: (value: Value) => void; help?: string;
}): ReactElement {
    const id = useId();
    return (
        <p className="field">
            <label htmlFor={id}>{label}</label>
            <select id={id} value={value} aria-describedby={help ? `${id}h` : undefined}
                onChange={({ target }) => take(target.value as Value)}>
                {Object.entries<string>(values).map(([one, title]) => (
                    <option key={one} value={one}>{title}</option>
                ))}
            </select>
            {help ? <span id={`${id}h`} className="small quiet">{help}</span> : null}
        </p>
    );
}

function Skip({ places, value, take }: {
    places: number; value: number; take: (skip: number) => void;
}): ReactElement {
    const id = useId();
    return (
        <p className="field">
            <label htmlFor={id}>{texts.skip}</label>
            <input id={id} className="short" type="number" min={0} max={places - 1} value={value}
                onChange={({ target }) => take(Number(target.value))} />
        </p>
    );
}

// The inputs of the question; `take` is told of every change.
function Wish({ about, first, take }: {
    about: Labelled; first: Wanted; take: (wanted: Wanted) => void;
}): ReactElement {
    const [wanted, setWanted] = useState(first);
    const sizes = useRead('/label-sizes', { params: { query: { active: true, limit: 500 } } });
    const known = sizes.data?.data ?? [];
    const shown = known.find(({ code }) => code === wanted.size) ?? known[0];
    const places = shown ? shown.columns * shown.rows : 1;
    const set = (change: Partial<Wanted>): void => setWanted({ ...wanted, ...change });

    // The size is known once the sizes are read, and one that was remembered may be gone.
    const size = shown?.code ?? '';
    useEffect(() => take({ ...wanted, size }), [wanted, size, take]);
    return (
        <>
            {about === 'sample' ? (
                <Pick label={texts.each} value={wanted.of} values={texts.eachOf}
                    take={(of) => set({ of })} />
            ) : null}
            <Pick label={texts.format} value={wanted.format} values={texts.formats}
                take={(format) => set({ format })} help={texts.formatWhat} />
            {sizes.data && known.length === 0 ? <p className="small">{texts.sizeNone}</p> : (
                <Pick label={texts.size} value={size} take={(code) => set({ size: code, skip: 0 })}
                    values={Object.fromEntries(known.map(({ code, name }) => [code, name]))} />
            )}
            {wanted.format === 'pdf' && places > 1
                ? <Skip places={places} value={wanted.skip} take={(skip) => set({ skip })} /> : null}
        </>
    );
}

// The PDF is opened in a tab of its own, which has to be there before anything is waited for:
// later the browser would take it for a pop-up.
async function print({ of, format, size, skip }: Wanted, ids: number[]): Promise<void> {
    const query = { of, ids, format, ...(size ? { size } : {}), skip: format === 'pdf' ? skip : 0 };
    const tab = format === 'pdf' ? window.open('', '_blank') : null;
    try {
        const file = await answer(api.GET('/labels', { params: { query }, parseAs: 'blob' }));
        choose({ labels: { format, size } });
        if (format === 'zpl') {
            saveFile('labels.zpl', file as unknown as Blob);
            say({ tone: 'ready', text: texts.saved });
        } else if (tab) {
            const search = new URLSearchParams(Object.entries(query).map(([name, value]) =>
                [name, String(value)])).toString();
            tab.location.href = paths.download('/labels', `?${search}`);
        }
    } catch (error) {
        tab?.close();
        throw error;
    }
}

// Asks for size and printer, and prints. The names are those of the records.
export function printLabels(about: Labelled, records: readonly { id: number; name: string }[]): void {
    const kept = chosen().labels;
    let wanted: Wanted = { of: about, format: kept?.format ?? 'pdf', size: kept?.size ?? '', skip: 0 };
    ask({
        kind: 'confirm',
        title: texts.print[about](records.length),
        explanation: texts.what,
        lines: records.map(({ name }) => name),
        fields: <Wish about={about} first={wanted} take={(now) => { wanted = now; }} />,
        perform: () => print(wanted, records.map(({ id }) => id)),
    });
}

// The action of records, by their kind and names.
export const labelAction = <One extends { id: number }>(
    about: Labelled, nameOf: (one: One) => string,
): Action<One[]> => ({
    id: `${about}.labels`,
    title: (all) => texts.print[about](all.length),
    permission: 'data.read',
    keys: 'p',
    visible: (all) => all.length > 0,
    refused: (all) => all.length > most ? texts.tooMany(most) : undefined,
    perform: (all) => printLabels(about, all.map((one) => ({ id: one.id, name: nameOf(one) }))),
});

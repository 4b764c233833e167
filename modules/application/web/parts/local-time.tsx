// SPDX-License-Identifier: Apache-2.0
//
// A time as the laboratory's clock shows it. In the hour that the clock shows twice, when it is put
// back, whoever types the time sees which of the two is meant, and chooses the other.
import type { InputHTMLAttributes, ReactElement } from 'react';

import { useSession } from '../api/session.ts';
import { localOf, readingsOf } from '../texts/local-time.ts';
import { t } from '../texts/texts.ts';

type Attributes = Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange' | 'type'>;

export function LocalTime({ text, change, ...attributes }: Attributes & {
    // As texts/local-time.ts writes it.
    text: string;
    change: (text: string) => void;
}): ReactElement {
    const { organization: { timeZone } } = useSession();
    const local = localOf(text);
    const readings = readingsOf(local, timeZone);
    const typed = (value: string): void => change(readingsOf(value, timeZone)[0] ?? value);
    return (
        <>
            <input {...attributes} type="datetime-local" max="9999-12-31T23:59" value={local}
                onChange={({ target }) => typed(target.value)} />
            {readings.length > 1 ? (
                <select aria-label={t.localTime.which} value={text}
                    onChange={({ target }) => change(target.value)}>
                    {readings.map((reading, i) => (
                        <option key={reading} value={reading}>
                            {t.localTime.twice(i, reading.slice(local.length))}
                        </option>
                    ))}
                </select>
            ) : null}
            {local !== '' && readings.length === 0
                ? <span className="caption" role="status">{t.localTime.never}</span> : null}
        </>
    );
}

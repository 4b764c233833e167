// SPDX-License-Identifier: Apache-2.0
//
// The worklist on paper: a line for each sample, with what it is, its tests and its place.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';

import { useSession } from '../../api/session.ts';
import { Moment } from '../../parts/moment.tsx';
import { t } from '../../texts/texts.ts';
import { type WorkSample, type WorklistTest, samplesOf } from './groups.ts';

const { worklist: texts, priority } = t.bench;
const { columns: heads } = texts;

const urgent: Readonly<Record<string, string>> = priority;

function Line({ sample: { first, codes } }: { sample: WorkSample }): ReactElement {
    return (
        <tr>
            <th scope="row" className="id">{first.trackingId}</th>
            <td>{first.materialType}</td>
            <td>{codes.join(', ')}</td>
            <td>{first.storageLocation}</td>
            <td>{first.holdingExpiresAt ? <Moment at={first.holdingExpiresAt} /> : null}</td>
            <td>{urgent[first.priority]}</td>
        </tr>
    );
}

// Returns the time of printing, not that of reading.
function usePrinted(): string {
    const [at, setAt] = useState(() => new Date().toISOString());

    useEffect(() => {
        const now = (): void => flushSync(() => setAt(new Date().toISOString()));
        window.addEventListener('beforeprint', now);
        return () => window.removeEventListener('beforeprint', now);
    }, []);
    return at;
}

export function Paper({ tests, method }: {
    tests: readonly WorklistTest[]; method: string;
}): ReactElement {
    const { organization, person } = useSession();
    const samples = samplesOf(tests);
    const printed = usePrinted();
    return (
        <section className="paper" aria-hidden="true">
            <p>
                {organization.name}, {method || texts.allMethods},{' '}
                {texts.samples(samples.length)}, {texts.count(tests.length)}.{' '}
                {texts.printed} <Moment at={printed} /> {person.displayName}
            </p>
            <table>
                <thead>
                    <tr>
                        <th scope="col">{heads.trackingId}</th>
                        <th scope="col">{heads.material}</th>
                        <th scope="col">{texts.tests}</th>
                        <th scope="col">{heads.stored}</th>
                        <th scope="col">{texts.heads.ends}</th>
                        <th scope="col">{heads.priority}</th>
                    </tr>
                </thead>
                <tbody>
                    {samples.map((sample) => <Line key={sample.first.sampleId} sample={sample} />)}
                </tbody>
            </table>
        </section>
    );
}

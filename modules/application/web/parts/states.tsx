// SPDX-License-Identifier: Apache-2.0
//
// Placeholders of a page without content: empty, waiting, refused.
import { useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

import type { Problem } from '../api/problem.ts';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Glyph } from './glyph.tsx';

export function Nothing({ title, children }: { title: string; children?: ReactNode }): ReactElement {
    return <div className="nothing"><p><strong>{title}</strong></p>{children}</div>;
}

// Shows nothing for 300 ms, then rows of the height of those that will come.
export function Waiting({ what, rows = 12 }: { what: string; rows?: number }): ReactElement | null {
    const [late, setLate] = useState(false);

    useEffect(() => {
        const timer = setTimeout(() => setLate(true), 300);
        return () => clearTimeout(timer);
    }, []);
    if (!late) {
        return null;
    }
    return (
        <div aria-busy="true">
            <p className="unseen" role="status">{t.loading(what)}</p>
            <table className="table" aria-hidden="true">
                <tbody>
                    {Array.from({ length: rows }, (_, i) => (
                        <tr key={i}>
                            <td><span className="bone" /></td>
                            <td><span className={i % 2 ? 'bone b4' : 'bone b6'} /></td>
                            <td><span className="bone b4" /></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

interface RefusedProperties {
    problem: Problem;
    retry?: () => void;
    // Where to go on.
    children?: ReactNode;
}

export function Refused({ problem, retry, children }: RefusedProperties): ReactElement {
    return (
        <div className="nothing" role="alert">
            <p className="status">
                <Glyph name="blocked" tone="blocked" /><strong>{t.refusedTitle(problem.status)}</strong>
            </p>
            <p className="quiet">{t.sentence(problem)}</p>
            <dl className="pairs">
                <dt>{t.refusal}</dt>
                <dd className="id">{problem.slug} {problem.status > 0 ? problem.status : ''}</dd>
            </dl>
            {retry ? <p><Button onPress={retry}>{t.tryAgain}</Button></p> : null}
            {children}
        </div>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Compares two versions after an edit conflict: the former value, theirs and mine, member by
// member, and below it the choices.
import type { ReactElement, ReactNode } from 'react';

import { t } from '../texts/texts.ts';

export interface Version {
    member: string;
    was: ReactNode;
    theirs: ReactNode;
    mine: ReactNode;
}

export function Versions({ versions, children }: {
    versions: Version[]; children: ReactNode;
}): ReactElement {
    return (
        <>
            <table className="table versions" aria-label={t.form.conflict}>
                <thead>
                    <tr>
                        <th scope="col"><span className="unseen">{t.form.member}</span></th>
                        <th scope="col">{t.form.was}</th>
                        <th scope="col">{t.form.theirs}</th>
                        <th scope="col">{t.form.mine}</th>
                    </tr>
                </thead>
                <tbody>
                    {versions.map(({ member, was, theirs, mine }) => (
                        <tr key={member}>
                            <th scope="row" className="wrap">{member}</th>
                            <td className="wrap">{was}</td>
                            <td className="wrap"><strong>{theirs}</strong></td>
                            <td className="wrap"><strong>{mine}</strong></td>
                        </tr>
                    ))}
                </tbody>
            </table>
            <p className="line">{children}</p>
        </>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Why an act was refused, where it was to be done.
import type { ReactElement } from 'react';

import type { Problem } from '../api/problem.ts';
import { t } from '../texts/texts.ts';
import { Glyph } from './glyph.tsx';

function sentenceOf(problem: Problem): string {
    switch (problem.slug) {
        case 'signature_invalid':
            return t.asking.passwordWrong(problem.attemptsLeft);
        case 'account_locked':
            return t.asking.locked(problem.retryAfter);
        default:
            return t.sentence(problem);
    }
}

export function Refusal({ problem, id }: { problem: Problem; id?: string }): ReactElement {
    return (
        <div className="field" role="alert" id={id}>
            <span className="refusal">
                <Glyph name="blocked" /><span>{sentenceOf(problem)}</span>
            </span>
            {problem.blockers.map(({ message }) => (
                <span className="refusal" key={message}>
                    <Glyph name="blocked" /><span>{message}</span>
                </span>
            ))}
            <span className="id quiet">{problem.slug}</span>
        </div>
    );
}

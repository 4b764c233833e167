// SPDX-License-Identifier: Apache-2.0
//
// Refusal of an act: the sentence, each blocker with a link to what clears it, and last the slug.
import type { ReactElement } from 'react';

import type { Blocker, Problem } from '../api/problem.ts';
import { Code } from '../parts/code.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { waysOut } from '../places.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/texts.ts';

// `follow`: called before a link is followed, for instance to close the dialog.
export function Blocked({ blocker, follow }: {
    blocker: Blocker; follow?: (() => void) | undefined;
}): ReactElement {
    return (
        <span className="refusal">
            <Glyph name="blocked" />
            <span>
                {blocker.message}{' '}
                {waysOut(blocker).map(({ href, noun, no }) => (
                    <span key={href}>
                        <Link href={href} {...(follow ? { onClick: follow } : {})}>
                            {t.wayTo(noun, no)}
                        </Link>{' '}
                    </span>
                ))}
            </span>
        </span>
    );
}

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

// `said`: rewords the sentence for the page.
export function Refusal({ problem, follow, id, said: say = (text) => text }: {
    problem: Problem; follow?: () => void; id?: string; said?: (text: string) => string;
}): ReactElement {
    const said = say(sentenceOf(problem));
    return (
        <div className="field" role="alert" id={id}>
            {problem.blockers.some(({ message }) => message === said) ? null : (
                <span className="refusal"><Glyph name="blocked" /><span>{said}</span></span>
            )}
            {problem.blockers.map((blocker) => (
                <Blocked key={`${blocker.slug} ${blocker.message}`} blocker={blocker}
                    follow={follow} />
            ))}
            <Code of={problem.slug} />
        </div>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// A record that cannot be shown: the refusal, and the way to the list of its kind.
import type { ReactElement } from 'react';

import type { Problem } from '../api/problem.ts';
import { Refused } from '../parts/states.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/texts.ts';

export function NotShown({ problem, list, title }: {
    problem: Problem; list: string; title: string;
}): ReactElement {
    return (
        <Refused problem={problem}>
            <p><Link href={list}>{t.goTo(title)}</Link></p>
        </Refused>
    );
}

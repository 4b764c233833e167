// SPDX-License-Identifier: Apache-2.0
//
// The views of the worklist: by what its tests have in common, and test by test.
import type { ReactElement } from 'react';

import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { groupings } from './groups.ts';
import type { By } from './groups.ts';

const { views } = t.bench.worklist;

export function Views({ at }: { at: By | 'tests' }): ReactElement {
    return (
        <nav className="tabs" aria-label={views.label}>
            {groupings.map((by) => (
                <Link key={by} className="tab" href={paths.worklist(by)}
                    aria-current={at === by ? 'page' : undefined}>{views[by]}</Link>
            ))}
            <Link className="tab" href={paths.worklistTests()}
                aria-current={at === 'tests' ? 'page' : undefined}>{views.tests}</Link>
        </nav>
    );
}

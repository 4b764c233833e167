// SPDX-License-Identifier: Apache-2.0
//
// The worklist in two views: by method, and test by test.
import type { ReactElement } from 'react';

import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const { views } = t.bench.worklist;

export function Views({ at }: { at: 'methods' | 'tests' }): ReactElement {
    return (
        <nav className="tabs" aria-label={views.label}>
            <Link className="tab" href={paths.worklist()}
                aria-current={at === 'methods' ? 'page' : undefined}>{views.methods}</Link>
            <Link className="tab" href={paths.worklistTests()}
                aria-current={at === 'tests' ? 'page' : undefined}>{views.tests}</Link>
        </nav>
    );
}

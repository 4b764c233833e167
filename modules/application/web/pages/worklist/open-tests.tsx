// SPDX-License-Identifier: Apache-2.0
//
// All tests that are open, and what is shown where there is none of them.
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';

import type { OpenTest } from '../../actions/worklist.ts';
import type { Problem } from '../../api/problem.ts';
import { changed, useWhole } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const { worklist: texts } = t.bench;

type Found = UseQueryResult<OpenTest[], Problem>;

const pick = (page: Read<'/worklist'>) =>
    ({ rows: page.data, next: page.hasMore ? page.nextCursor : undefined });

// Read anew whenever somebody comes back to it, as from a bench.
export function useOpenTests(): Found {
    useEffect(() => void changed('/worklist'), []);
    return useWhole('/worklist', pick, { live: 30 });
}

export function NoneOpen({ found }: { found: Found }): ReactElement {
    if (found.data) {
        return (
            <Nothing title={texts.empty}>
                <p className="quiet">{texts.emptyWhat}</p>
                {may('sample.receive')
                    ? <p><Link href={paths.receive()}>{texts.toReceive}</Link></p> : null}
            </Nothing>
        );
    }
    return found.error ? <Refused problem={found.error} retry={() => void found.refetch()} />
        : <Waiting what={texts.title} />;
}

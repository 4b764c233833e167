// SPDX-License-Identifier: Apache-2.0
//
// A list as a file: the records that its filters leave.
import type { ReactElement } from 'react';

import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { t } from '../texts/texts.ts';
import { searchWith } from './filter.ts';
import type { Filters } from './filter.ts';

// Lists that are also printed, where there is a printer.
const printed = ['/samples', '/sample-tests', '/worklist', '/orders', '/approval-records',
    '/certificates', '/qc-batches', '/worksheets', '/confirmations', '/investigations'];

// `list`: its path in the API.
export function Csv({ list, filters = {} }: { list: string; filters?: Filters }): ReactElement {
    const { prints } = useSession();
    return (
        <>
            <a className="btn row plain" download
                href={paths.download(`${list}/export`, searchWith(filters))}>
                {t.filters.csv}
            </a>
            {prints && printed.includes(list) ? (
                <a className="btn row plain" target="_blank" rel="noreferrer"
                    href={paths.download(`${list}/export.pdf`, searchWith(filters))}>
                    {t.filters.pdf}
                </a>
            ) : null}
        </>
    );
}

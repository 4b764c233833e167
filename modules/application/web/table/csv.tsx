// SPDX-License-Identifier: Apache-2.0
//
// A list as a file: the records that its filters leave.
import type { ReactElement } from 'react';

import type { paths as routes } from '#api';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { t } from '../texts/texts.ts';
import { searchWith } from './filter.ts';
import type { Filters } from './filter.ts';

// The lists that the service prints, by its routes, and whether they have a CSV file beside: one
// that is not here, or that it does not print, does not compile.
type Printed = { [P in keyof routes]: P extends `${infer List}/export.pdf` ? List : never }[keyof routes];
const printed: Record<Printed, boolean> = {
    '/samples': true, '/sample-tests': true, '/worklist': true, '/orders': true,
    '/approval-records': true, '/certificates': true, '/qc-batches': true, '/worksheets': true,
    '/confirmations': true, '/investigations': true, '/reagent-lots': true, '/media-lots': true,
    '/qc-templates': true, '/worksheet-templates': true, '/instrument-files': true,
    '/users': true, '/keys': true, '/webhook-endpoints': true,
    // On a page of its own, beside its table.
    '/turnaround': false,
};
const isPrinted = (list: string): boolean => (printed as Record<string, boolean>)[list] ?? false;

// `list`: its path in the API.
export function Csv({ list, filters = {} }: { list: string; filters?: Filters }): ReactElement {
    const { prints } = useSession();
    return (
        <>
            <a className="btn row plain" download
                href={paths.download(`${list}/export`, searchWith(filters))}>
                {t.filters.csv}
            </a>
            {prints && isPrinted(list) ? (
                <a className="btn row plain" target="_blank" rel="noreferrer"
                    href={paths.download(`${list}/export.pdf`, searchWith(filters))}>
                    {t.filters.pdf}
                </a>
            ) : null}
        </>
    );
}

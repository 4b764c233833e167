// SPDX-License-Identifier: Apache-2.0
//
// A list as a file: the records that its filters leave.
import type { ReactElement } from 'react';

import { paths } from '../paths.ts';
import { t } from '../texts/texts.ts';
import { searchWith } from './filter.ts';
import type { Filters } from './filter.ts';

// `list`: its path in the API.
export function Csv({ list, filters = {} }: { list: string; filters?: Filters }): ReactElement {
    return (
        <a className="btn row plain" download
            href={paths.download(`${list}/export`, searchWith(filters))}>
            {t.filters.csv}
        </a>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The package of a record, for whoever looks into it elsewhere: as PDF, and as an archive.
import type { ReactElement } from 'react';

import { useSession } from '../api/session.ts';
import { MenuButton } from '../parts/menu.tsx';
import { paths } from '../paths.ts';
import { t } from '../texts/texts.ts';

const { package: words } = t.record;

export function Package({ of }: { of: `/investigations/${number}` | `/qc-batches/${number}` }): ReactElement | null {
    return useSession().prints ? (
        <MenuButton items={[
            { id: 'pdf', title: words.pdf, file: paths.download(`${of}/package.pdf`) },
            { id: 'zip', title: words.zip, file: paths.download(`${of}/package.zip`) },
        ]}>
            {words.title}
        </MenuButton>
    ) : null;
}

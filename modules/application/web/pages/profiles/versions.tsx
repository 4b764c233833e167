// SPDX-License-Identifier: Apache-2.0
//
// The versions of a profile's code, newest first.
import type { ReactElement } from 'react';

import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Profile } from '../../nouns/profile.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { ProfileStatus } from './status.tsx';

const words = t.profiles;
const { columns } = words;

export const useVersions = (code: string) => useRead('/instrument-profiles',
    { params: { query: { code, order: '-id', limit: 100 } } }, { live: 30, enabled: code !== '' });

export function Versions({ of }: { of: Profile }): ReactElement {
    const found = useVersions(of.code);
    const person = usePeople();
    return (
        <PlainTable label={words.tabs.versions} none={words.none} found={found} columns={[
            { title: columns.version, className: 'w-short', cell: ({ id, version }) => (
                <Link href={paths.profile(id)} aria-current={id === of.id ? 'page' : undefined}>
                    {version}
                </Link>
            ) },
            { title: columns.status, className: 'w-name', cell: (one) => <ProfileStatus {...one} /> },
            { title: columns.name, className: 'wrap', cell: ({ name }) => name },
            { title: columns.added, className: 'w-when', cell: ({ createdAt }) =>
                <Moment at={createdAt} /> },
            { title: columns.by, className: 'w-who', cell: ({ createdBy }) => person(createdBy) },
        ]} />
    );
}

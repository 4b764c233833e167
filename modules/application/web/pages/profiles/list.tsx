// SPDX-License-Identifier: Apache-2.0
//
// Instrument profiles (S24): every version, whether files are read by it, and how many wait.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { profileListActions } from '../../actions/profiles.ts';
import { useInstruments } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { formatOf } from '../../nouns/profile.ts';
import type { Profile } from '../../nouns/profile.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { useHeld } from './held.ts';
import type { Held } from './held.ts';
import { ProfileStatus } from './status.tsx';

const words = t.profiles;
const { columns: titles } = words;
const empty: Profile[] = [];

// A version that is retired reads no file, whatever waits for its code.
function heldFor({ code, status }: Profile, held: Held): string {
    const count = status === 'retired' ? 0 : held.of(code);
    return count ? words.held(count, held.more) : '';
}

const columnsOf = (held: Held, instrument: (id: number | null) => string): Column<Profile>[] => [
    { key: 'code', title: titles.code, cellClass: 'id', heads: true,
        cell: ({ code }) => code, hint: ({ code }) => code },
    { key: 'version', title: titles.version, className: 'w-short right',
        cell: ({ version }) => version },
    { key: 'status', title: titles.status, className: 'w-name',
        cell: ({ status }) => <ProfileStatus status={status} /> },
    { key: 'name', title: titles.name, className: 'w-ident p3', cell: ({ name }) => name, hint: ({ name }) => name },
    { key: 'format', title: titles.format, className: 'w-state', cell: formatOf, hint: formatOf },
    { key: 'held', title: titles.held, className: 'w-due right',
        cell: (profile) => heldFor(profile, held) },
    { key: 'instrument', title: titles.instrument, className: 'w-due p4',
        cell: ({ instrumentId }) => instrument(instrumentId) },
    { key: 'added', title: titles.added, className: 'w-when roomy',
        cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const statuses = ['active', 'draft', 'retired'] as const;

export function ProfileList(): ReactElement {
    const { shown, page } = useShown('status');
    const { searchParams } = useAddress();
    const status = statuses.find((one) => one === shown);
    const code = searchParams.get('code') ?? '';
    const found = useRead('/instrument-profiles', { params: { query: {
        ...(status ? { status } : {}), ...(code ? { code } : {}), order: '-id', limit: 100, ...page,
    } } }, { live: 30 });
    const held = useHeld();
    const instruments = useInstruments();
    const columns = useMemo(() => columnsOf(held, (id) => instruments.get(id ?? 0)?.code ?? ''),
        [held, instruments]);
    const known = [{ name: 'code', title: words.ofCode, linked: true, shown: String }];

    return (
        <ListPage<Profile> title={words.title} label={words.list} none={words.none}
            noneWhat={words.noneWhat} columns={columns} found={found}
            rows={found.data?.data ?? empty} filtered={status !== undefined || code !== ''}
            list="/instrument-profiles" nameOf={({ code: of, version }) => words.version(of, version)}
            actions={profileListActions} addressOf={({ id }) => paths.profile(id)}
            filters={<>
                <Choose member="status" label={words.show} values={[
                    { value: '', title: words.shown.all },
                    ...statuses.map((value) => ({ value, title: words.shown[value] })),
                ]} />
                {code ? <FilterBar known={known} /> : null}
            </>} />
    );
}

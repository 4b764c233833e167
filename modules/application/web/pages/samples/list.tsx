// SPDX-License-Identifier: Apache-2.0
//
// The list of samples: find, sort and act on them (S1).
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { within } from '../../acting/action.ts';
import { amendmentActions } from '../../actions/amendments.tsx';
import { sampleActions } from '../../actions/samples.ts';
import { readNames, useNames } from '../../api/names.ts';
import type { Names } from '../../api/names.ts';
import { readAhead, useRead } from '../../api/read.ts';
import { may, session } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Link, useAddress } from '../../router.tsx';
import { askedOf, filtersIn } from '../../table/filter.ts';
import type { Filter, Filters } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';
import { columnsOf } from './columns.tsx';
import type { Sample } from './columns.tsx';
import { useCounts } from './counts.ts';
import { SampleFilters, knownFilters, useOrderNumber, withUsual } from './filters.tsx';
import { Peek } from './peek.tsx';

const none: Sample[] = [];

const actions = [...sampleActions, ...amendmentActions.map((action) =>
    within(action, (all: Sample[]) => all.length === 1 ? all[0] : undefined))];

const noNames: Names = { projects: new Map(), materials: new Map() };

// Returns what is asked of the API.
const askedFor = (filters: Filters, known: Filter[], cursor: string | null) => ({ params: { query: {
    ...askedOf(withUsual(filters), known, session()?.organization.timeZone ?? 'UTC'),
    order: '-id', limit: 50, include: 'progress',
    ...(cursor ? { cursor: Number(cursor) } : {}),
} } } as const);

const knownAhead = knownFilters(noNames, '');

// Reads what the list shows at an address, ahead of it.
export const readSamples = (search: URLSearchParams): Promise<unknown> => Promise.all([
    readAhead('/samples', askedFor(filtersIn(search, knownAhead), knownAhead,
        search.get('cursor'))),
    readNames(),
]);

export function SampleList(): ReactElement {
    const { searchParams } = useAddress();
    const names = useNames();
    const known = knownFilters(names, useOrderNumber(searchParams.get('orderId')));
    const filters = filtersIn(searchParams, known);
    const found = useRead('/samples', askedFor(filters, known, searchParams.get('cursor')),
        { live: 15 });
    const rows = found.data?.data ?? none;
    const columns = useMemo(() => columnsOf(names), [names]);
    const { all } = useCounts({}, found.data?.data.length === 0);
    const blocked = rows.filter(({ releaseState }) => releaseState === 'blocked').length;

    return (
        <ListPage<Sample> title={t.samples.title} tabTitle={t.samples.tabTitle(blocked)}
            label={t.samples.list} columns={columns} found={found} rows={rows}
            nameOf={({ trackingId }) => trackingId} addressOf={({ id }) => paths.sample(id)}
            actions={actions} none={t.samples.none} noneWhat={t.samples.noneWhat}
            begin={may('sample.register')
                ? <Link href={paths.newOrder()}>{t.samples.begin}</Link> : null}
            filtered={Object.keys(filters).length > 0} total={all} head={<Views page="samples" path={paths.samples()} />}
            filters={<SampleFilters filters={filters} known={known} />}
            peek={(sample, close) => <Peek sample={sample} names={names} close={close} />} />
    );
}

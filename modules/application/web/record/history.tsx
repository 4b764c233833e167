// SPDX-License-Identifier: Apache-2.0
//
// History of a record in words, oldest first, with the notifications of other systems at their
// time.
import type { ReactElement, ReactNode } from 'react';

import { useRead } from '../api/read.ts';
import { may } from '../api/session.ts';
import { Moment } from '../parts/moment.tsx';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { PlainTable } from '../table/plain-table.tsx';
import { t } from '../texts/texts.ts';
import { More, useLimit } from './more.tsx';
import type { HistoryPath, Recorded } from './record.ts';

export interface Line {
    id: number | string;
    at: string;
    person: string | null;
    what: ReactNode;
}

// One type for all: each of these paths answers with the same kind of entries.
const useHistory = (path: HistoryPath, id: number, limit: number) =>
    useRead<'/samples/{id}/history'>(path as '/samples/{id}/history',
        { params: { path: { id }, query: { limit } } }, { live: 15 });

export function History({ of, told }: { of: Recorded; told: Line[] }): ReactElement {
    const shown = useLimit();
    const found = useHistory(of.history, of.id, shown.limit);
    const { columns } = t.record;
    const more = found.data?.hasMore ?? false;
    const own: Line[] = (found.data?.data ?? []).map(({ id, occurredAt, person, sentence }) =>
        ({ id, at: occurredAt, person, what: sentence }));
    // Deliveries after the last entry shown belong to the next page.
    const last = own.at(-1)?.at ?? '';
    const lines = [...own, ...told.filter(({ at }) => !more || at <= last)]
        .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));

    return (
        <>
            <PlainTable label={t.record.tabs.history} none={t.record.noHistory}
                found={{ data: found.data ? { data: lines } : undefined, error: found.error }}
                columns={[
                    { title: columns.when, className: 'w-when', cell: ({ at }) => <Moment at={at} /> },
                    { title: columns.by, className: 'w-who', cell: ({ person }) => person },
                    { title: columns.what, className: 'wrap', cell: ({ what }) => what },
                ]} />
            {may('audit.read') ? (
                <p className="section small">
                    <Link href={paths.audit(`?table=${of.table}&recordId=${of.id}`)}>
                        {t.record.trail}
                    </Link>
                </p>
            ) : null}
            <More {...shown} hasMore={more} />
        </>
    );
}

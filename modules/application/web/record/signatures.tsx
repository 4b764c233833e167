// SPDX-License-Identifier: Apache-2.0
//
// Signatures of a record: who signed and with which meaning, and whether the signed content still
// stands. Those of a sample include the records that belong to it.
import type { ReactElement } from 'react';

import { useRead } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { Moment } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';
import { pageOf } from '../places.ts';
import { Link } from '../router.tsx';
import { PlainTable } from '../table/plain-table.tsx';
import { t } from '../texts/texts.ts';
import { FIRST, More, useLimit } from './more.tsx';
import type { Recorded } from './record.ts';

export const useSignatures = ({ table, id }: Recorded, limit = FIRST) =>
    useRead('/signatures', { params: { query: {
        ...(table === 'sample' ? { sampleId: id } : { table, recordId: id }), limit,
    } } }, { live: 15 });

type Signature = Read<'/signatures'>['data'][number];

function What({ of }: { of: Signature }): ReactElement {
    const href = pageOf(of.table, of.recordId);
    return href ? <Link href={href}>{of.record}</Link> : <>{of.record}</>;
}

function Stands({ stands }: { stands: boolean | null }): ReactElement | null {
    if (stands === null) {
        return null;
    }
    const tone = stands ? 'reported' : 'attention';
    return (
        <Status glyph={tone} tone={tone}>
            {stands ? t.record.stands : t.record.changedSince}
        </Status>
    );
}

export function Signatures({ of }: { of: Recorded }): ReactElement {
    const shown = useLimit();
    const found = useSignatures(of, shown.limit);
    const { columns } = t.record;
    return (
        <>
            <PlainTable label={t.record.tabs.signatures} none={t.record.noSignatures} found={found}
                columns={[
                    { title: columns.signer, className: 'w-who', cell: (one) => one.printedName },
                    { title: columns.meaning, className: 'w-name',
                        cell: (one) => t.record.meanings[one.meaning] },
                    { title: columns.what, className: 'w-ident', cell: (one) => <What of={one} /> },
                    { title: columns.when, className: 'w-when',
                        cell: (one) => <Moment at={one.signedAt} /> },
                    { title: columns.state, className: 'w-state',
                        cell: (one) => <Stands stands={one.stands} /> },
                    { title: columns.reason, className: 'wrap', cell: (one) => one.reason },
                ]} />
            <More {...shown} hasMore={found.data?.hasMore} />
        </>
    );
}

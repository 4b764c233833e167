// SPDX-License-Identifier: Apache-2.0
//
// The list of certificates (S13).
import type { ReactElement } from 'react';

import { certificateListActions } from '../../actions/certificates.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { useAddress } from '../../router.tsx';
import { filtersIn } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import type { Filter } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';
import { Pdf, Sent, StateOf } from './states.tsx';

export type Certificate = Read<'/certificates'>['data'][number];

const { certificates: words } = t.release;
const { columns: titles } = words;

const known: Filter[] = [
    { name: 'status', title: words.filter.status, choices: Object.entries(words.status) },
    { name: 'sampleId', title: words.filter.sampleId, linked: true },
];

export const nameOf = ({ certificateNumber, version }: Certificate): string =>
    words.name(certificateNumber, version);

function columnsOf(person: (id: number | null) => string): Column<Certificate>[] {
    return [
        { key: 'number', title: titles.number, className: 'w-id stay', cellClass: 'id', heads: true,
            cell: ({ certificateNumber }) => certificateNumber },
        { key: 'version', title: titles.version, className: 'w-code right',
            cell: ({ version }) => version },
        { key: 'sample', title: titles.sample, className: 'w-id', cellClass: 'id',
            cell: ({ trackingId }) => trackingId },
        { key: 'client', title: titles.client, cell: ({ clientName }) => clientName,
            hint: ({ clientName }) => clientName },
        { key: 'status', title: titles.status, className: 'w-when', cell: ({ status }) =>
            <StateOf status={status} /> },
        { key: 'issued', title: titles.issued, className: 'w-when',
            cell: ({ issuedAt }) => <Moment at={issuedAt} /> },
        { key: 'by', title: titles.by, className: 'w-name p3',
            cell: ({ issuedBy }) => person(issuedBy) },
        { key: 'pdf', title: words.document.title, className: 'w-state p2',
            cell: (one) => <Pdf of={one} /> },
        { key: 'sent', title: titles.sent, className: 'w-when p1',
            cell: (one) => <Sent of={one} /> },
        { key: 'reason', title: titles.reason, className: 'w-ident p4',
            cell: ({ amendment }) => amendment, hint: ({ amendment }) => amendment ?? undefined },
    ];
}

const none: Certificate[] = [];

export function CertificateList(): ReactElement {
    const { searchParams } = useAddress();
    const person = usePeople();
    const filters = filtersIn(searchParams, known);
    const cursor = searchParams.get('cursor');
    const found = useRead('/certificates', { params: { query: {
        ...filters, order: '-id', limit: 100, ...(cursor ? { cursor: Number(cursor) } : {}),
    } } }, { live: 30 });

    return (
        <ListPage<Certificate> title={words.title} label={words.title} columns={columnsOf(person)}
            found={found} rows={found.data?.data ?? none} nameOf={nameOf}
            addressOf={({ id }) => paths.certificate(id)} actions={certificateListActions}
            none={words.none}
            noneWhat={words.noneWhat} filtered={Object.keys(filters).length > 0} list="/certificates"
            head={<Views page="certificates" path={paths.certificates()} />}
            filters={<FilterBar known={known} views="certificates" csv="/certificates" />} />
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The audit trail (S17): who, when, why, in one line for each change.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { pageOf } from '../../places.ts';
import { Link, useAddress } from '../../router.tsx';
import { askedOf, filtersIn, searchWith } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';
import { ChainState, CheckChain, useChain } from './chain.tsx';
import { linesOf, recordName, tableName } from './changes.ts';
import type { Entry, Line } from './changes.ts';
import { period, useAuditFilters } from './filters.ts';
import { Peek } from './peek.tsx';
import { Changed, Instant, whoOf } from './values.tsx';

const { columns: titles } = t.audit;

// Tables whose records have names that tell their kind, such as tracking ids.
const speaking = ['sample', 'sample_test', 'qc_batch', 'investigation', 'certificate',
    'instrument_file'];
const speaks = ({ table, record }: Entry): boolean => record !== null && speaking.includes(table);

// The reason of an entry; that of archived ones is shown as the change.
const reasonOf = ({ action, reason }: Entry): string | undefined =>
    action === 'archived' ? undefined : reason ?? undefined;

const columns: Column<Line>[] = [
    { key: 'time', title: titles.time, className: 'w-name', sorted: true,
        cell: ({ entry }) => <Instant at={entry.occurredAt} /> },
    // A key is named alone: the person for whom it works stands beside the list.
    { key: 'who', title: titles.who, className: 'w-who',
        cell: ({ entry }) => entry.apiKey ?? whoOf(entry), hint: ({ entry }) => whoOf(entry) },
    { key: 'by', title: titles.by, className: 'w-name p4', cellClass: 'quiet',
        cell: ({ entry }) => entry.surface ? t.audit.surface[entry.surface] : null },
    { key: 'record', title: titles.record, className: 'w-ident', heads: true,
        cell: ({ entry }) => (
            <>
                {speaks(entry) ? null
                    : <span className="quiet">{tableName(entry.table)} </span>}
                <span className="id">{recordName(entry)}</span>
            </>
        ) },
    { key: 'change', title: titles.change, cell: (line) => <Changed line={line} /> },
    { key: 'reason', title: titles.reason, className: 'w-long roomy',
        cell: ({ entry }) => reasonOf(entry), hint: ({ entry }) => reasonOf(entry) },
    { key: 'signed', title: titles.signed, className: 'w-due p1',
        cell: ({ entry }) => entry.signatureId === null ? null
            : <Status glyph="reported" tone="reported">{t.audit.signed}</Status> },
];

const names = ['table', 'recordId', 'userId', 'apiKeyId', 'requestId', 'surface', 'from', 'to'];

const none: Entry[] = [];

export function AuditList(): ReactElement {
    const { searchParams } = useAddress();
    const { chain, check } = useChain();
    const { organization: { timeZone } } = useSession();
    const filters = filtersIn(searchParams, names.map((name) => ({ name, title: '' })));
    const asked = askedOf(filters, period, timeZone);
    const cursor = searchParams.get('cursor');
    const found = useRead('/audit-entries', { params: { query: {
        ...asked, limit: 50, ...(cursor ? { cursor } : {}),
    } } }, { live: 30 });
    const entries = found.data?.data ?? none;
    const rows = useMemo(() => linesOf(entries), [entries]);
    const known = useAuditFilters(entries);
    const file = (format: string): string =>
        paths.download('/audit-entries/export', searchWith({ ...asked, format }));

    return (
        <ListPage<Line> title={t.audit.title} label={t.audit.label} columns={columns} found={found}
            rows={rows} nameOf={({ entry }) => entry.record ?? tableName(entry.table)}
            addressOf={({ entry }) => pageOf(entry.table, entry.recordId)}
            peek={(line, close) => <Peek line={line} close={close} />}
            none={t.audit.none} noneWhat={t.audit.noneWhat}
            filtered={Object.keys(filters).length > 0} list="/audit-entries"
            head={(
                <>
                    <Views page="audit" path={paths.audit()} />
                    <span className="quiet">
                        {filters['recordId'] ?? filters['from'] ?? filters['to']
                            ? null : t.audit.period}
                    </span>
                    <span className="push" />
                    <CheckChain chain={chain} check={check} />
                    <Link className="btn" href={paths.auditProof()}>{t.audit.proof.open}</Link>
                    <a className="btn" href={file('csv')} download>{t.audit.csv}</a>
                    <a className="btn" href={file('json')} download>{t.audit.json}</a>
                </>
            )}
            filters={<FilterBar known={known} views="audit" without={{ recordId: ['table'], table: ['recordId'] }} />}
            foot={<ChainState chain={chain} />} />
    );
}

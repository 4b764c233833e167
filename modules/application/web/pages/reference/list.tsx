// SPDX-License-Identifier: Apache-2.0
//
// Reference data (S23): a noun's list, and its form as a panel.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { hasFile } from '../../actions/reference-files.ts';
import { referenceActions } from '../../actions/reference.ts';
import type { Row } from '../../actions/reference.ts';
import type { Problem } from '../../api/problem.ts';
import { useRead } from '../../api/read.ts';
import type { RecordsPath } from '../../api/records.ts';
import { useRecordNames } from '../../api/records.ts';
import { RecordForm } from '../../form/form.tsx';
import type { ColumnOf, Noun } from '../../nouns/reference.ts';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { Csv } from '../../table/csv.tsx';
import type { Filters } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { Search } from '../../table/search.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';
import { Download, ImportPanel } from './import.tsx';
import { Nouns } from './nouns-nav.tsx';
import { nounOf, nouns } from './nouns.ts';
import { treeOf } from './tree.ts';
import { UsedBy } from './used-by.tsx';

const words = t.reference;

function Name({ path, id }: { path: RecordsPath; id: unknown }): ReactElement {
    return <>{useRecordNames(path)(id)}</>;
}

function cellOf({ member, as }: ColumnOf, noun: Noun): (row: Row) => ReactElement {
    const { records, words: known } = noun.definition.members[member] ?? {};
    return (row) => {
        const value = row[member];
        if (as === 'count') {
            return <>{Array.isArray(value) ? value.length : ''}</>;
        }
        if (value === null || value === undefined) {
            return <></>;
        }
        if (as === 'day') {
            return <>{dayOf(String(value))}</>;
        }
        return records ? <Name path={records} id={value} />
            : <>{known?.[String(value)] ?? String(value)}</>;
    };
}

// A cell indented by the depth of its record in the tree.
const deepest = 5;
const within = (cell: (row: Row) => ReactElement) => (row: Row): ReactElement => (
    <span className={`in-${Math.min(Number(row['level'] ?? 0), deepest)}`}>{cell(row)}</span>
);

function columnsOf(noun: Noun): Column<Row>[] {
    const labels: Record<string, string> = words.members;
    return [
        ...noun.columns.map((column, i) => ({
            key: column.member, title: labels[column.member] ?? column.member,
            className: column.className, heads: i === 0,
            cell: i === 0 && noun.tree ? within(cellOf(column, noun)) : cellOf(column, noun),
        })),
        {
            key: 'active', title: words.state, className: 'w-name',
            // Active records have no status in the list: most are active.
            cell: ({ active }: Row) => active ? '' : <Status glyph="lock">{words.inactive}</Status>,
        },
    ];
}

const asked: Record<string, Filters> = { '': { active: 'true' }, no: { active: 'false' }, all: {} };
const filtersOf = (shown: string, q: string | null): Filters =>
    ({ ...asked[shown], ...(q ? { q } : {}) });
const empty: Row[] = [];

interface Found {
    data: { data: Row[]; nextCursor: number; hasMore: boolean } | undefined;
    error: Problem | null;
    isPlaceholderData: boolean;
    dataUpdatedAt: number;
    refetch: () => unknown;
}

function FilterLine({ noun }: { noun: Noun }): ReactElement {
    const { shown } = useShown('active');
    const filters = filtersOf(shown, useAddress().searchParams.get('q'));
    return (
        <>
            <Nouns shown={noun.slug} />
            <Choose member="active" label={words.show} values={[
                { value: '', title: words.shown.active }, { value: 'no', title: words.shown.inactive },
                { value: 'all', title: words.shown.all },
            ]}>
                <Search key={noun.slug} label={words.search} />
                {hasFile(noun.slug) ? <Download noun={noun.slug} /> : (
                    <><span className="push" /><Csv list={noun.list} filters={filters} /></>
                )}
            </Choose>
        </>
    );
}

function NounPage({ noun, record }: { noun: Noun; record: string }): ReactElement {
    const { shown, page } = useShown('active');
    const { search, searchParams } = useAddress();
    const q = searchParams.get('q');
    const texts = words.nouns[noun.slug];
    const found = useRead(noun.list, { params: { query: {
        ...filtersOf(shown, q), order: '-id', limit: noun.tree ? 500 : 100, ...page,
    } } } as never, { live: 30 }) as unknown as Found;
    const listed = found.data?.data ?? empty;
    const rows = useMemo(() => noun.tree ? treeOf(listed) : listed, [noun, listed]);
    const columns = useMemo(() => columnsOf(noun), [noun]);
    const actions = useMemo(() => referenceActions(noun), [noun]);
    const close = (): void => navigate(paths.reference(noun.slug) + search);

    return (
        <ListPage<Row> title={words.title} label={noun.tree ? texts.title : words.newest(texts.title)} none={texts.none}
            noneWhat={texts.noneWhat} columns={columns} found={found}
            rows={rows} filtered={shown !== '' || q !== null} list={noun.list}
            nameOf={(row) => noun.definition.name(row)} actions={actions}
            addressOf={({ id }) => paths.reference(noun.slug, id) + search}
            filters={<FilterLine noun={noun} />}>
            {record === 'import' && hasFile(noun.slug)
                ? <ImportPanel noun={noun.slug} title={texts.title} close={close} /> : null}
            {record && record !== 'import' ? (
                <RecordForm key={record} definition={noun.definition} close={close}
                    id={record === 'new' ? null : Number(record)}>
                    {({ id }) => typeof id === 'number' ? <UsedBy noun={noun} id={id} /> : null}
                </RecordForm>
            ) : null}
        </ListPage>
    );
}

// The noun that the address names; the first without one.
export function ReferencePage({ noun, record }: {
    noun: string | undefined; record: string;
}): ReactElement | null {
    const shown = nounOf(noun) ?? nouns[0];
    return shown ? <NounPage key={shown.slug} noun={shown} record={record} /> : null;
}

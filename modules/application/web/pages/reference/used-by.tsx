// SPDX-License-Identifier: Apache-2.0
//
// Records that refer to a record of reference data, as they are when its form is opened, so that
// nobody deactivates it unaware. Of a noun whose references the service cannot list, nothing is
// said.
import type { ReactElement } from 'react';

import { useAtOpening } from '../../api/read.ts';
import type { ReadPath } from '../../api/read.ts';
import type { Noun } from '../../nouns/reference.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { anyDisposition } from '../samples/counts.ts';
import { readinessCounts } from '../samples/sums.ts';
import { nounOf } from './nouns.ts';

const words = t.reference;
const shownAtMost = 5;

interface Row {
    id: number;
    code?: string;
    name?: string;
    [member: string]: unknown;
}

// Nouns whose records refer to one of this noun, by a member that holds its id; `asked`: their list
// can be filtered by it.
const kin: Partial<Record<Noun['slug'], { slug: Noun['slug']; member: string; asked: boolean }[]>> = {
    'test-definitions': [
        { slug: 'panels', member: 'testDefinitionIds', asked: false },
        { slug: 'worksheet-templates', member: 'testDefinitionId', asked: true },
    ],
    clients: [{ slug: 'projects', member: 'clientId', asked: false }],
    'storage-locations': [
        { slug: 'storage-locations', member: 'parentId', asked: false },
        { slug: 'instruments', member: 'storageLocationId', asked: false },
    ],
};

// A list whose records were made with one of this noun; `by`: its filter, in the API and in the
// address of its page.
interface MadeWith {
    list: ReadPath;
    title: string;
    by: string;
    page: (query: string) => string;
    nameOf: (row: Row) => string;
    addressOf: (id: number) => string;
}

const batches = { list: '/qc-batches', title: t.batches.title, page: paths.qcBatches,
    nameOf: (row: Row) => String(row['batchNumber']), addressOf: (id: number) => paths.qcBatch(id),
} as const;

const madeWith: Partial<Record<Noun['slug'], MadeWith>> = {
    panels: { list: '/orders', title: t.orders.title, by: 'panelId', page: paths.orders,
        nameOf: (row) => String(row['orderNumber']), addressOf: (id) => paths.order(id) },
    instruments: { ...batches, by: 'instrumentId' },
    'qc-templates': { ...batches, by: 'qcTemplateId' },
    'worksheet-templates': { list: '/worksheets', title: t.worksheets.title, by: 'templateId',
        page: paths.worksheets, addressOf: (id) => paths.worksheet(id),
        nameOf: (row) => [row['testCode'], row['trackingId']].join(' ') },
};

const samplesBy: Partial<Record<Noun['slug'], string>> = {
    clients: 'clientId', projects: 'projectId', 'material-types': 'materialTypeId',
};

// Placeholder until the answer has come: until then it is not said that nothing refers to the
// record.
const Unknown = (): ReactElement => <dt aria-busy="true" />;

function Kin({ slug, member, asked, id }: {
    slug: Noun['slug']; member: string; asked: boolean; id: number;
}): ReactElement | null {
    const list = nounOf(slug)?.list ?? '/panels';
    const found = useAtOpening(list as ReadPath, { params: { query: {
        active: true, limit: 500, ...(asked ? { [member]: id } : {}),
    } } } as never);
    const page = found.data as { data: Row[] } | undefined;
    if (!page) {
        return <Unknown />;
    }
    const rows = page.data.filter((row) =>
        [row[member]].flat().includes(id));
    return rows.length ? (
        <>
            <dt>{words.nouns[slug].title}</dt>
            <dd>
                {rows.slice(0, shownAtMost).map((row, i) => (
                    <span key={row.id}>
                        {i ? ', ' : ''}
                        <Link href={paths.reference(slug, row.id)}>{row.code ?? row.name}</Link>
                    </span>
                ))}
                {rows.length > shownAtMost ? ` ${words.users.more(rows.length - shownAtMost)}` : ''}
            </dd>
        </>
    ) : null;
}

function Samples({ member, id }: { member: string; id: number }): ReactElement | null {
    const { data } = useAtOpening('/samples/counts', { params: { query: { [member]: id } } });
    const { all } = data ? readinessCounts(data) : {};
    if (all === undefined) {
        return <Unknown />;
    }
    return all === '0' ? null : (
        <>
            <dt>{t.samples.title}</dt>
            <dd>
                <Link href={paths.samples(`?${member}=${id}&disposition=${anyDisposition}`)}>{words.users.samples(all)}</Link>
            </dd>
        </>
    );
}

function Made({ list, title, by, page, nameOf, addressOf, id }: MadeWith & {
    id: number;
}): ReactElement | null {
    const found = useAtOpening(list, { params: { query: {
        [by]: id, order: '-id', limit: shownAtMost,
    } } } as never);
    const newest = found.data as { data: Row[]; hasMore: boolean } | undefined;
    if (!newest) {
        return <Unknown />;
    }
    return newest.data.length ? (
        <>
            <dt>{title}</dt>
            <dd>
                {newest.data.map((row, i) => (
                    <span key={row.id}>
                        {i ? ', ' : ''}<Link href={addressOf(row.id)}>{nameOf(row)}</Link>
                    </span>
                ))}
                {newest.hasMore
                    ? <> <Link href={page(`?${by}=${id}`)}>{words.users.all}</Link></> : null}
            </dd>
        </>
    ) : null;
}

export function UsedBy({ noun, id }: { noun: Noun; id: number }): ReactElement | null {
    const member = samplesBy[noun.slug];
    const others = kin[noun.slug] ?? [];
    const made = madeWith[noun.slug];
    return member || made || others.length ? (
        <section className="section" aria-labelledby="used-by">
            <h3 id="used-by">{words.usedBy}</h3>
            <dl className="pairs">
                {member ? <Samples member={member} id={id} /> : null}
                {made ? <Made {...made} id={id} /> : null}
                {others.map((one) => <Kin key={one.slug} {...one} id={id} />)}
            </dl>
            <p className="quiet small otherwise">{words.notUsed}</p>
        </section>
    ) : null;
}

// SPDX-License-Identifier: Apache-2.0
//
// Records that refer to a record of reference data, as they are when its form is opened, so that
// nobody deactivates it unaware. The service counts them; those that can be listed are named. Of a
// noun that nothing refers to (label sizes), nothing is said.
import type { ReactElement } from 'react';

import { useAtOpening } from '../../api/read.ts';
import type { Read, ReadPath } from '../../api/read.ts';
import type { Noun } from '../../nouns/reference.ts';
import { Refused } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { inFigures } from '../../texts/figures.ts';
import { t } from '../../texts/texts.ts';
import { anyDisposition } from '../samples/counts.ts';
import { nounOf } from './nouns.ts';

const words = t.reference;
const shownAtMost = 5;

interface Row {
    id: number;
    code?: string;
    name?: string;
    [member: string]: unknown;
}

// The number of records of a noun that refer to one.
type Use = Read<'/reference-data/uses'>['data'][number];

// Nouns of which the service counts what refers to a record.
const counted = ['test-definitions', 'material-types', 'projects', 'clients', 'storage-locations',
    'instruments'] as const;
type Counted = typeof counted[number];

const isCounted = (slug: Noun['slug']): slug is Counted =>
    (counted as readonly string[]).includes(slug);

const titles: Record<string, string> = {
    ...Object.fromEntries(Object.entries(words.nouns).map(([slug, { title }]) => [slug, title])),
    ...words.users.nouns,
};

const countOf = ({ count, more }: Use): string => words.users.count(inFigures(count), more);

function Counts({ use }: { use: Use }): ReactElement {
    return <><dt>{titles[use.noun] ?? use.noun}</dt><dd>{countOf(use)}</dd></>;
}

interface Kind {
    slug: Noun['slug'];
    member: string;
    asked: boolean;
}

// Nouns whose records refer to one of this noun, by a member that holds its id; `asked`: their list
// can be filtered by it.
const kin: Partial<Record<Noun['slug'], Kind[]>> = {
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

function Kin({ slug, member, asked, id, use }: Kind & { id: number; use: Use }): ReactElement {
    const list = nounOf(slug)?.list ?? '/panels';
    const found = useAtOpening(list as ReadPath, { params: { query: {
        active: true, limit: 500, ...(asked ? { [member]: id } : {}),
    } } } as never);
    const page = found.data as { data: Row[] } | undefined;
    const rows = (page?.data ?? []).filter((row) => [row[member]].flat().includes(id))
        .slice(0, shownAtMost);
    return rows.length ? (
        <>
            <dt>{words.nouns[slug].title}</dt>
            <dd>
                {rows.map((row, i) => (
                    <span key={row.id}>
                        {i ? ', ' : ''}
                        <Link href={paths.reference(slug, row.id)}>{row.code ?? row.name}</Link>
                    </span>
                ))}
                {use.count > rows.length ? ` ${words.users.more(use.count - rows.length)}` : ''}
            </dd>
        </>
    ) : <Counts use={use} />;
}

function Samples({ member, id, use }: { member: string; id: number; use: Use }): ReactElement {
    return (
        <>
            <dt>{t.samples.title}</dt>
            <dd>
                <Link href={paths.samples(`?${member}=${id}&disposition=${anyDisposition}`)}>
                    {words.users.samples(countOf(use))}
                </Link>
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

function OneUse({ slug, id, use }: { slug: Counted; id: number; use: Use }): ReactElement {
    const member = samplesBy[slug];
    const made = madeWith[slug];
    const kind = kin[slug]?.find((one) => one.slug === use.noun);
    return member && use.noun === 'samples' ? <Samples member={member} id={id} use={use} />
        : made?.list === `/${use.noun}` ? <Made {...made} id={id} />
            : kind ? <Kin {...kind} id={id} use={use} /> : <Counts use={use} />;
}

function Uses({ slug, id }: { slug: Counted; id: number }): ReactElement {
    const { data, error } = useAtOpening('/reference-data/uses',
        { params: { query: { noun: slug, id } } });
    return error ? <dd><Refused problem={error} /></dd> : data
        ? <>{data.data.map((use) => <OneUse key={use.noun} slug={slug} id={id} use={use} />)}</>
        : <Unknown />;
}

export function UsedBy({ noun: { slug }, id }: { noun: Noun; id: number }): ReactElement | null {
    const made = madeWith[slug];
    return isCounted(slug) || made ? (
        <section className="section" aria-labelledby="used-by">
            <h3 id="used-by">{words.usedBy}</h3>
            <dl className="pairs">
                {isCounted(slug) ? <Uses slug={slug} id={id} />
                    : made ? <Made {...made} id={id} /> : null}
            </dl>
            <p className="quiet small otherwise">{words.notUsed}</p>
        </section>
    ) : null;
}

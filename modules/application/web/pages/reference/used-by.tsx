// SPDX-License-Identifier: Apache-2.0
//
// Records that refer to a record of reference data, so that nobody deactivates it unaware. Of a
// noun whose references the service cannot list, nothing is said.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import type { ListPath } from '../../form/definition.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { nounOf } from './nouns.ts';
import type { Noun } from './nouns.ts';
import { anyDisposition, useCounts } from '../samples/counts.ts';

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
    const found = useRead(list as ListPath, { params: { query: {
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
    const { all } = useCounts({ [member]: String(id) });
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

export function UsedBy({ noun, id }: { noun: Noun; id: number }): ReactElement | null {
    const member = samplesBy[noun.slug];
    const others = kin[noun.slug] ?? [];
    return member || others.length ? (
        <section className="section" aria-labelledby="used-by">
            <h3 id="used-by">{words.usedBy}</h3>
            <dl className="pairs">
                {member ? <Samples member={member} id={id} /> : null}
                {others.map((one) => <Kin key={one.slug} {...one} id={id} />)}
            </dl>
            <p className="quiet small otherwise">{words.notUsed}</p>
        </section>
    ) : null;
}

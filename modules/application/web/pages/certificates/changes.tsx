// SPDX-License-Identifier: Apache-2.0
//
// Differences between a version of a certificate and the one before it, and between the latest and
// the next.
import type { ReactElement } from 'react';

import type { Problem } from '../../api/problem.ts';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { contentOf, differences } from './content.ts';
import type { Certificate } from './list.tsx';
import { Preview, useContent, usePreview } from './preview.tsx';

const { changes: words } = t.release;

interface Read {
    data: unknown;
    error: Problem | null;
}

function Compared({ before, now, none }: { before: Read; now: Read; none: string }): ReactElement {
    const rows = now.data && before.data
        ? differences(contentOf(before.data), contentOf(now.data)) : undefined;
    return (
        <PlainTable label={words.title} none={none}
            found={{ data: rows && { data: rows }, error: now.error ?? before.error }}
            columns={[
                { title: words.columns.what, className: 'w-ident', cell: ({ what }) => what },
                { title: words.columns.before, className: 'wrap', cell: (one) => <s>{one.before}</s> },
                { title: words.columns.after, className: 'wrap',
                    cell: ({ after }) => <strong>{after}</strong> },
            ]} />
    );
}

export function Changes({ of }: { of: Certificate }): ReactElement {
    const now = useContent(of.id);
    const before = useContent(of.supersedesId);
    return of.supersedesId === null
        ? <Compared before={now} now={now} none={words.first} />
        : <Compared before={before} now={now} none={words.none} />;
}

// While it is amended: what the next version would change, and say.
export function Next({ of }: { of: Certificate }): ReactElement {
    const before = useContent(of.id);
    const now = usePreview(of.sampleId);
    return (
        <>
            <Compared before={before} now={now} none={words.none} />
            <h2 className="part">{t.amendments.draft}</h2>
            <Preview sampleId={of.sampleId} />
        </>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Recall: the tests that were made with a lot, their samples and the certificates that went
// out, and how far it reaches.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { kindOf, reachOf } from '../../nouns/lot.ts';
import type { Lot } from '../../nouns/lot.ts';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';

const words = t.lots.recall;
const glyphs = { pending: 'progress', entered: 'progress', verified: 'ready' } as const;

export function useUses(lot: Lot) {
    const asked = { params: { path: { id: lot.id }, query: { limit: 500, order: '-id' as const } } };
    const media = kindOf(lot) === 'media';
    const ofReagent = useRead('/reagent-lots/{id}/recall', asked, { enabled: !media });
    const ofMedia = useRead('/media-lots/{id}/recall', asked, { enabled: media });
    const found = media ? ofMedia : ofReagent;
    return { ...found, data: found.data && { ...found.data,
        data: found.data.data.map((use) => ({ ...use, id: use.sampleTestId })) } };
}

export function Recall({ lot }: { lot: Lot }): ReactElement {
    const found = useUses(lot);
    return (
        <section aria-labelledby="recall">
            <h2 id="recall" className="part">{words.label}</h2>
            <PlainTable label={words.label} none={words.none} found={found} columns={[
                { title: words.sample, className: 'w-who', cell: (use) => (
                    <Link className="id" href={paths.sample(use.sampleId)}>{use.trackingId}</Link>
                ) },
                { title: words.test, className: 'w-name', cell: (use) => use.testCode },
                { title: words.result, className: 'w-due right', cell: (use) => use.result },
                { title: words.status, className: 'w-when', cell: (use) => (
                    <Status glyph={glyphs[use.status]} tone={glyphs[use.status]}>
                        {words.statuses[use.status]}
                    </Status>
                ) },
                { title: words.certificate, cell: (use) => use.certificateId === null ? null : (
                    <>
                        <Link className="id" href={paths.certificate(use.certificateId)}>
                            {use.certificateNumber}
                        </Link>
                        {use.version === null ? null : `, ${words.version(use.version)}`}
                    </>
                ) },
            ]} />
            {found.data?.hasMore ? <p className="nothing quiet">{t.lots.reachMore}</p> : null}
        </section>
    );
}

export function Reached({ lot }: { lot: Lot }): ReactElement {
    const found = useUses(lot);
    const reach = reachOf(found.data?.data ?? []);
    const over = found.data?.hasMore ? '+' : '';
    return (
        <aside className="beside" aria-labelledby="reached">
            <h2 id="reached">{t.lots.reached.title}</h2>
            <dl className="pairs">
                <dt>{t.lots.reached.tests}</dt><dd>{reach.tests}{over}</dd>
                <dt>{t.lots.reached.verified}</dt><dd>{reach.verified}{over}</dd>
                <dt>{t.lots.reached.samples}</dt><dd>{reach.samples}{over}</dd>
                <dt>{t.lots.reached.certificates}</dt><dd>{reach.certificates}{over}</dd>
            </dl>
            <p className="section">
                <a className="btn row"
                    href={paths.download(`/${kindOf(lot)}-lots/${lot.id}/recall/export`)} download>
                    {words.csv}
                </a>
            </p>
        </aside>
    );
}

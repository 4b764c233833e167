// SPDX-License-Identifier: Apache-2.0
//
// The tests that a batch covers, and what its failure does to each: what has gone out with it
// first.
import type { ReactElement } from 'react';

import { type CoveredTest, holds } from '../../actions/covering.ts';
import type { QcBatch } from '../../actions/qc-batches.ts';
import { useRead } from '../../api/read.ts';
import { fateOf } from '../../nouns/qc-numbers.ts';
import type { Fate } from '../../nouns/qc-numbers.ts';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';

const texts = t.batches;

const order: Fate[] = ['reported', 'verified', 'held', 'free'];
const tones: Record<Fate, Extract<Tone, GlyphName>> = {
    reported: 'reported', verified: 'blocked', held: 'blocked', free: 'ready',
};

function One({ test }: { test: CoveredTest }): ReactElement {
    return (
        <li>
            <Link className="id" href={paths.sample(test.sampleId)}>
                {test.sample?.trackingId}
            </Link>{' '}
            {test.testCode} <strong>{valueOf(test)}</strong> {test.unit}{' '}
            <span className="quiet">{t.sample.test[test.status]}</span>
        </li>
    );
}

export function Covered({ batch, tests }: { batch: QcBatch; tests: CoveredTest[] }): ReactElement {
    const impact = useRead('/qc-batches/{id}/impact', { params: { path: { id: batch.id } } },
        { live: 30 });
    const reported = new Set((impact.data?.samples ?? [])
        .filter(({ releaseState }) => releaseState === 'reported').map(({ sampleId }) => sampleId));
    // Reported samples are known before a test is called held or verified.
    const known = impact.isFetched ? tests : [];
    const groups = order.map((fate) => ({ fate, ones: known.filter((test) =>
        fateOf(test, holds(batch, test), reported) === fate) })).filter(({ ones }) => ones.length);

    return (
        <aside className="peek" aria-labelledby="covered">
            <h2 id="covered">{texts.samples(batch.sampleTestIds.length)}</h2>
            {batch.sampleTestIds.length === 0 ? <p className="quiet">{texts.noSamples}</p> : null}
            {groups.map(({ fate, ones }) => (
                <section key={fate} aria-label={texts.fateGroups[fate]}>
                    <p className="small"><Status glyph={tones[fate]} tone={tones[fate]}>
                        <strong>{texts.fateGroups[fate]} {ones.length}</strong>
                    </Status></p>
                    <p className="quiet small">{texts.fates[fate]}</p>
                    <ul className="small section">
                        {ones.map((test) => <One key={test.id} test={test} />)}
                    </ul>
                </section>
            ))}
        </aside>
    );
}

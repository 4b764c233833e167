// SPDX-License-Identifier: Apache-2.0
//
// A look at a sample beside the list.
import type { ReactElement } from 'react';

import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { dayOf } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { Collected } from './columns.tsx';
import type { Sample } from './columns.tsx';
import { useStorageLocations } from '../../api/names.ts';
import type { Names } from '../../api/names.ts';
import { Findings } from './readiness.tsx';

interface Properties {
    sample: Sample;
    names: Names;
    close: () => void;
}

export function Peek({ sample, names, close }: Properties): ReactElement {
    const project = names.projects.get(sample.projectId ?? 0);
    const material = names.materials.get(sample.materialTypeId)?.name;
    const stored = useStorageLocations().get(sample.storageLocationId ?? 0)?.name;

    return (
        <aside className="peek" aria-labelledby="peek-title">
            <h2 id="peek-title">
                <span className="id">{sample.trackingId}</span>
                <Link className="btn row push" href={paths.sample(sample.id)}>
                    {t.samples.open}<kbd>Enter</kbd>
                </Link>
                <Button kind="row plain" label={t.samples.close} onPress={close}>
                    <Glyph name="close" />
                </Button>
            </h2>
            <dl className="pairs">
                <dt>{t.sample.client}</dt><dd>{sample.clientName}</dd>
                {project ? <><dt>{t.sample.project}</dt>
                    <dd>{project.code}, {project.name}</dd></> : null}
                <dt>{t.sample.sampled}</dt>
                <dd>{[material, sample.plantLocation].filter(Boolean).join(', ')}</dd>
                {sample.collectedAt ?? sample.collectionDate ? <><dt>{t.sample.collected}</dt>
                    <dd><Collected sample={sample} /></dd></> : null}
                <dt>{t.sample.received}</dt>
                <dd>{sample.receivedAt ? <Moment at={sample.receivedAt} /> : t.sample.notYet}</dd>
                {sample.dueDate ? <><dt>{t.sample.due}</dt><dd>{dayOf(sample.dueDate)}</dd></> : null}
                {stored ? <><dt>{t.sample.stored}</dt><dd>{stored}</dd></> : null}
            </dl>
            <Findings key={sample.id} sampleId={sample.id} />
        </aside>
    );
}

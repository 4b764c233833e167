// SPDX-License-Identifier: Apache-2.0
//
// The address of a test leads to its line in its sample.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

export function OfTest({ id }: { id: number }): ReactElement {
    const found = useRead('/sample-tests/{id}', { params: { path: { id } } });
    const sampleId = found.data?.sampleId;

    useEffect(() => {
        if (sampleId !== undefined) {
            navigate(paths.testOf(sampleId, id), { replace: true });
        }
    }, [sampleId, id]);
    return (
        <main className="page" id="main">
            <div className="head"><h1>{t.samples.title}</h1></div>
            {found.error ? (
                <NotShown problem={found.error} list={paths.samples()} title={t.samples.title} />
            ) : <Waiting what={t.samples.title} />}
        </main>
    );
}

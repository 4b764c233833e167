// SPDX-License-Identifier: Apache-2.0
//
// What the certificate of a sample would say if it were issued now.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Refused, Waiting } from '../../parts/states.tsx';
import { t } from '../../texts/texts.ts';
import { contentOf } from './content.ts';
import { Sheet } from './sheet.tsx';

export const usePreview = (sampleId: number) => useRead('/samples/{id}/certificate-preview',
    { params: { path: { id: sampleId } } }, { live: 30 });

export function Preview({ sampleId }: { sampleId: number }): ReactElement {
    const found = usePreview(sampleId);
    if (!found.data) {
        return found.error ? <Refused problem={found.error} />
            : <Waiting what={t.release.sheet.title} />;
    }
    return <Sheet content={contentOf(found.data)} />;
}

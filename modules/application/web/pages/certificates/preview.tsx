// SPDX-License-Identifier: Apache-2.0
//
// Preview: the certificate of a sample as it would be if it were issued now.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Refused, Waiting } from '../../parts/states.tsx';
import { t } from '../../texts/texts.ts';
import { contentOf } from './content.ts';
import { Sheet } from './sheet.tsx';
import { DraftPdf } from './states.tsx';

export const useContent = (id: number | null) => useRead('/certificates/{id}/content',
    { params: { path: { id: id ?? 0 } } }, { enabled: id !== null });

export const usePreview = (sampleId: number) => useRead('/samples/{id}/certificate-preview',
    { params: { path: { id: sampleId } } }, { live: 30 });

export function Preview({ sampleId }: { sampleId: number }): ReactElement {
    const found = usePreview(sampleId);
    if (!found.data) {
        return found.error ? <Refused problem={found.error} />
            : <Waiting what={t.release.sheet.title} />;
    }
    return (
        <>
            <DraftPdf sampleId={sampleId} />
            <Sheet content={contentOf(found.data)} />
        </>
    );
}

// Shows the certificate that was issued, else the one that would be.
export function Issued({ sampleId }: { sampleId: number }): ReactElement {
    const found = useRead('/certificates', { params: { query: { sampleId, status: 'issued' } } });
    const id = found.data?.data[0]?.id ?? null;
    const content = useContent(id);
    if (found.data && id === null) {
        return <Preview sampleId={sampleId} />;
    }
    const error = found.error ?? content.error;
    return content.data ? <Sheet content={contentOf(content.data)} />
        : error ? <Refused problem={error} /> : <Waiting what={t.release.sheet.title} />;
}

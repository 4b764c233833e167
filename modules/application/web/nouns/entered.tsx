// SPDX-License-Identifier: Apache-2.0
//
// A result, which leads to its row of the instrument file that it came from.
import type { ReactElement, ReactNode } from 'react';

import type { Read } from '../api/read.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { t } from '../texts/texts.ts';

export function Entered({ test: { review }, children }: {
    test: Pick<Read<'/sample-tests'>['data'][number], 'review'>; children: ReactNode;
}): ReactElement {
    const source = review?.source;
    return source ? (
        <Link href={paths.instrumentFileRow(source.fileId, source.row, source.sheet)}
            title={t.verify.rawFile(source.fileName, source.row)}>{children}</Link>
    ) : <>{children}</>;
}

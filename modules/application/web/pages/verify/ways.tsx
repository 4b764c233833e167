// SPDX-License-Identifier: Apache-2.0
//
// Links from a refusal to verify a result to what clears it.
import type { ReactElement } from 'react';

import type { Reviewed } from '../../actions/verify.ts';
import type { Blocker } from '../../api/problem.ts';
import { paths } from '../../paths.ts';
import { waysOut } from '../../places.ts';
import type { Way } from '../../places.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const only = (id: number | null | undefined): number[] => id == null ? [] : [id];

function idsOf(slug: string, { id, review, mediaLotId, reagentLotId }: Reviewed): Partial<Blocker> {
    switch (slug) {
        case 'qc_failed':
        case 'qc_pending':
            return { slug, qcBatchIds: (review?.qcBatches ?? []).map((batch) => batch.id) };
        case 'media_qc_failed':
            return { mediaLotIds: only(mediaLotId) };
        case 'reagent_lot_expired':
            return { reagentLotIds: only(reagentLotId) };
        case 'lot_not_released':
            return { mediaLotIds: only(mediaLotId), reagentLotIds: only(reagentLotId) };
        case 'confirmation_required':
            return { slug, testIds: [id] };
        default:
            return {};
    }
}

// The worksheet is found by its test, whether it was begun or not.
function waysOf(slug: string, test: Reviewed): Way[] {
    return slug === 'worksheet_incomplete'
        ? [{ noun: 'worksheet', no: undefined, href: paths.worksheetOf(test.id) }]
        : waysOut(idsOf(slug, test));
}

export function Ways({ slug, test }: { slug: string; test: Reviewed }): ReactElement {
    return (
        <>
            {waysOf(slug, test).map(({ noun, no, href }) => (
                <span key={href}><Link href={href}>{t.wayTo(noun, no)}</Link> </span>
            ))}
        </>
    );
}

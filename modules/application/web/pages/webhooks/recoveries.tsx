// SPDX-License-Identifier: Apache-2.0
//
// Recoveries of an endpoint: which events are sent again, and the progress.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';

const words = t.webhooks;

export function Recoveries({ endpointId, enabled }: {
    endpointId: number; enabled: boolean;
}): ReactElement | null {
    const found = useRead('/webhook-recoveries', { params: { query: {
        endpointId, order: '-id', limit: 5,
    } } }, { live: 5 });
    const recoveries = found.data?.data ?? [];
    return recoveries.length ? (
        <section className="section" aria-labelledby="recoveries">
            <h3 id="recoveries">{words.recoveries}</h3>
            <ul className="many">
                {recoveries.map(({ id, since, requeued, finishedAt }) => (
                    <li className="line" key={id}>
                        <span>{words.recovery(requeued)} <Moment at={since} /></span>
                        {finishedAt
                            ? <Status glyph="ready" tone="ready">{words.recoveryDone}</Status>
                            : <Status glyph="progress" tone="progress">
                                {enabled ? words.recovering : words.recoveryWaits}
                            </Status>}
                    </li>
                ))}
            </ul>
        </section>
    ) : null;
}

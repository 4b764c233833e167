// SPDX-License-Identifier: Apache-2.0
//
// State of a version: whether another replaces it, and to which of the systems that subscribed to
// certificates it was sent.
import type { ReactElement } from 'react';

import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import type { Certificate } from './list.tsx';

const { status: statuses, sent: words } = t.release.certificates;

// A version that another one replaces is no seal any more.
export function StateOf({ status }: Pick<Certificate, 'status'>): ReactElement {
    return status === 'issued'
        ? <Status glyph="reported" tone="reported">{statuses[status]}</Status>
        : <span className="quiet"><Status>{statuses[status]}</Status></span>;
}

type Delivery = Certificate['deliveries'][number];

const glyphs: Record<Delivery['state'], Extract<Tone, GlyphName>> = {
    pending: 'progress', delivered: 'ready', given_up: 'attention',
};

function One({ one }: { one: Delivery }): ReactElement {
    return (
        <Status glyph={glyphs[one.state]} tone={glyphs[one.state]}>
            {one.state === 'delivered' && one.finishedAt ? <Moment at={one.finishedAt} />
                : t.sample.delivery[one.state]}
        </Status>
    );
}

// Returns the delivery that needs attention first: given up, then under way, else the last that
// arrived.
const order: Delivery['state'][] = ['given_up', 'pending', 'delivered'];

export function Sent({ of }: { of: Certificate }): ReactElement {
    const [first] = [...of.deliveries].sort((a, b) =>
        order.indexOf(a.state) - order.indexOf(b.state)
            || (b.finishedAt ?? '').localeCompare(a.finishedAt ?? ''));
    return first ? <One one={first} /> : <span className="quiet">{words.nobody}</span>;
}

export function SentTo({ of }: { of: Certificate }): ReactElement {
    return of.deliveries.length ? (
        <ul className="same">
            {of.deliveries.map((one) => (
                <li key={one.id}>
                    {one.endpointName}<span className="caption"><One one={one} /></span>
                </li>
            ))}
        </ul>
    ) : <p className="small quiet">{words.nobodyWhat}</p>;
}

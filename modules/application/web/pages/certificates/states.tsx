// SPDX-License-Identifier: Apache-2.0
//
// State of a version: whether another replaces it, how far its PDF is, and to which of the systems
// that subscribed to certificates it was sent.
import type { ReactElement, ReactNode } from 'react';

import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { sizeOf } from '../../texts/size.ts';
import { t } from '../../texts/texts.ts';
import type { Certificate } from './list.tsx';

const { status: statuses, sent: words, document: pdf } = t.release.certificates;

// A version that another one replaces is no seal any more. `children`: said in place of its state.
export function StateOf({ status, children = statuses[status] }: Pick<Certificate, 'status'> & {
    children?: ReactNode;
}): ReactElement {
    return status === 'issued'
        ? <Status glyph="reported" tone="reported">{children}</Status>
        : <span className="quiet"><Status>{children}</Status></span>;
}

// The PDF of a version; while there is none, why.
export function Pdf({ of }: { of: Certificate }): ReactElement {
    const { state, failure } = of.document;
    if (state === 'made') {
        return (
            <a href={paths.download(`/certificates/${of.id}.pdf`)} target="_blank" rel="noopener"
                aria-label={pdf.of(t.release.certificates.name(of.certificateNumber, of.version))}>
                {pdf.title}
            </a>
        );
    }
    return (
        <span title={failure ?? undefined}>
            {state === 'failed'
                ? <Status glyph="blocked" tone="blocked">{pdf.failed}</Status>
                : <Status glyph="progress" tone="progress">{pdf.pending}</Status>}
        </span>
    );
}

// Reads a version often while its PDF is printed, which takes a second.
function Watched({ id }: { id: number }): null {
    useRead('/certificates/{id}', { params: { path: { id } } }, { live: 2 });
    return null;
}

// The same with what proves that a file is this one, or why there is none.
export function PdfFacts({ of }: { of: Certificate }): ReactElement {
    const { sha256, size, failure, state } = of.document;
    return (
        <>
            {state === 'pending' ? <Watched id={of.id} /> : null}
            <p><Pdf of={of} />{size === null ? null : `, ${sizeOf(size)}`}</p>
            {failure ? <p className="small">{failure}</p> : null}
            {sha256 ? (
                <p className="small quiet">
                    {pdf.digest}: <span className="id digest">{sha256}</span>
                </p>
            ) : null}
        </>
    );
}

// The certificate that would be issued, as a PDF that says that it is a draft.
export function DraftPdf({ sampleId }: { sampleId: number }): ReactElement | null {
    return useSession().prints ? (
        <p>
            <a className="btn row plain" target="_blank" rel="noopener"
                href={paths.download(`/samples/${sampleId}/certificate-preview.pdf`)}>
                {pdf.draft}
            </a>
        </p>
    ) : null;
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

// SPDX-License-Identifier: Apache-2.0
//
// Accepting, for one sample, a lot that is not released: signed, with a reason.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { certifiedRows, signature, signedContents } from '../acting/signed.ts';
import type { SignedContent } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { samplesChanged } from './samples.ts';

// A finding of a sample, which names the lot.
export interface Used {
    sampleId: number;
    finding: Read<'/samples/{id}/readiness'>['findings'][number];
}

async function codeOf({ reagentLotId, mediaLotId }: Used['finding']): Promise<string> {
    const { code } = reagentLotId !== null
        ? await answer(api.GET('/reagent-lots/{id}', { params: { path: { id: reagentLotId } } }))
        : await answer(api.GET('/media-lots/{id}', { params: { path: { id: mediaLotId ?? 0 } } }));
    return code;
}

// The lot as it stands, with the quarantine or failure that is accepted.
async function lotOf({ reagentLotId, mediaLotId }: Used['finding']): Promise<SignedContent | undefined> {
    const id = reagentLotId ?? mediaLotId ?? 0;
    return (await signedContents(reagentLotId !== null ? 'reagent_lot' : 'media_lot', [id])).get(id);
}

// Sample and lot are read before they are signed: what changes after that is refused.
async function accepting(used: Used): Promise<Question> {
    const { sampleId, finding } = used;
    const [contents, lot] = await Promise.all([
        signedContents('sample', [sampleId]), lotOf(finding),
    ]);
    const content = contents.get(sampleId);
    const [sample, code] = await Promise.all([
        answer(api.GET('/samples/{id}', { params: { path: { id: sampleId } } })),
        codeOf(finding),
    ]);
    const { quarantineReason } = (lot?.content ?? {}) as { quarantineReason?: string | null };
    return {
        kind: 'signature',
        title: t.lots.accept(code, sample.trackingId),
        explanation: t.lots.acceptWhat,
        rows: certifiedRows(sample.trackingId, content, 0),
        warnings: [finding.message, ...(quarantineReason ? [quarantineReason] : [])],
        reason: 'must',
        renew: () => accepting(used),
        perform: async ({ reason = '', password }) => {
            await answer(api.POST('/samples/{id}/override-lot', {
                params: { path: { id: sampleId } },
                body: {
                    ...(finding.reagentLotId !== null ? { reagentLotId: finding.reagentLotId }
                        : { mediaLotId: finding.mediaLotId ?? 0 }),
                    lotContentHash: lot?.contentHash ?? '',
                    reason, signature: signature(password, content),
                },
            }));
            await samplesChanged();
            say({ tone: 'ready', text: t.lots.accepted(code, sample.trackingId) });
        },
    };
}

export const lotOverrideActions: Action<Used>[] = [{
    id: 'sample.override-lot',
    title: () => t.lots.acceptHere,
    permission: 'qc.override',
    visible: ({ finding }) => finding.category === 'lot_not_released',
    perform: async (used) => ask(await accepting(used)),
}];

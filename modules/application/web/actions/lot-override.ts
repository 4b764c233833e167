// SPDX-License-Identifier: Apache-2.0
//
// Accepting, for one sample, a lot that is not released: signed, with a reason.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { certifiedRows, signature, signedContents } from '../acting/signed.ts';
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

// The content that is signed is read first: what changes after that is refused.
async function accepting(used: Used): Promise<Question> {
    const { sampleId, finding } = used;
    const content = (await signedContents('sample', [sampleId])).get(sampleId);
    const [sample, code] = await Promise.all([
        answer(api.GET('/samples/{id}', { params: { path: { id: sampleId } } })),
        codeOf(finding),
    ]);
    return {
        kind: 'signature',
        title: t.lots.accept(code, sample.trackingId),
        explanation: t.lots.acceptWhat,
        rows: certifiedRows(sample.trackingId, content, 0),
        warnings: [finding.message],
        reason: 'must',
        renew: () => accepting(used),
        perform: async ({ reason = '', password }) => {
            await answer(api.POST('/samples/{id}/override-lot', {
                params: { path: { id: sampleId } },
                body: {
                    ...(finding.reagentLotId !== null ? { reagentLotId: finding.reagentLotId }
                        : { mediaLotId: finding.mediaLotId ?? 0 }),
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

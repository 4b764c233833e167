// SPDX-License-Identifier: Apache-2.0
//
// Action on the receipt of a sample: changing what was found, such as a deviation that was noticed
// on the bench.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed, condition, readNow } from '../api/read.ts';
import { session } from '../api/session.ts';
import { CorrectedFacts, correctedBy, correctionOf } from '../form/corrected.tsx';
import type { Correction } from '../form/corrected.tsx';
import { clockIn, groupOf } from '../form/draft.ts';
import { bodyOf } from '../form/schema.ts';
import { isOpen } from '../nouns/sample.ts';
import type { Sample } from '../nouns/sample.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';

const words = t.samples;

const members = {
    deviations: { label: words.receiptMember.deviations },
    containers: { label: words.receiptMember.containers },
    temperature: { label: words.receiptMember.temperature },
    condition: { label: words.receiptMember.condition },
};

async function changing(one: Sample, before?: Correction): Promise<Question> {
    const { id, trackingId } = one;
    const at = { params: { path: { id } } };
    const [schema, sample] = await Promise.all([
        bodyOf('PATCH /samples/{id}/receipt'), readNow('/samples/{id}', at)]);
    const clock = clockIn(session()?.organization.timeZone ?? 'UTC');
    const of = correctionOf(groupOf(schema, sample.receipt ?? {}, clock), before);

    return {
        kind: 'reason',
        title: words.receiptOf(trackingId),
        explanation: words.receiptWhat,
        fields: <CorrectedFacts key={of.key} schema={schema} members={members} of={of}
            legend={words.receiptFound} />,
        reason: session()?.policies.reasonOnChange ? 'must' : 'may',
        perform: async ({ reason }) => {
            await answer(api.PATCH('/samples/{id}/receipt', { ...at, ...condition(sample), body: {
                ...correctedBy(schema, of, clock), ...(reason ? { reason } : {}) } }));
            await changed('/samples', '/samples/{id}', '/samples/{id}/history',
                '/samples/{id}/readiness', '/samples/{id}/approvals', '/approval-records',
                '/samples/{id}/certificate-preview', '/amendments/{id}');
            say({ tone: 'ready', text: words.receiptChanged(trackingId) });
        },
        renew: () => changing(one, of),
    };
}

export const receiptAction: Action<Sample[]> = {
    id: 'sample.receipt',
    title: () => words.receipt,
    permission: 'sample.receive',
    rare: true,
    visible: ([one, ...more]) => one !== undefined && more.length === 0 && isOpen(one)
        && one.receivedAt !== null && ['received', 'processing', 'reported'].includes(one.status),
    perform: async ([one]) => {
        if (one) {
            ask(await changing(one));
        }
    },
};

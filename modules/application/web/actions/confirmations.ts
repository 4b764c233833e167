// SPDX-License-Identifier: Apache-2.0
//
// Actions on a presumptive positive: recording a reading, deciding the outcome.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed, condition, readNow } from '../api/read.ts';
import { session } from '../api/session.ts';
import { nameOf } from '../nouns/confirmation.tsx';
import type { Confirmation, State } from '../nouns/confirmation.tsx';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { samplesChanged } from './samples.ts';

const words = t.confirmations;

export async function confirmationsChanged(): Promise<void> {
    await Promise.all([changed('/confirmations', '/confirmations/{id}', '/sample-tests',
        '/sample-tests/{id}/history', '/signatures'), samplesChanged()]);
}

type Outcome = Exclude<State, 'pending'>;

const isPending = ({ confirmationStatus }: Confirmation): boolean =>
    confirmationStatus === 'pending';

function decide(one: Confirmation, outcome: Outcome): Question {
    const signed = session()?.policies.esignatureRequired ?? false;
    const of = { params: { path: { id: one.id } } };
    return {
        kind: signed ? 'signature' : 'confirm',
        title: `${words.decide[outcome]} ${one.testCode}`,
        note: one.trackingId,
        explanation: words.decideWhat[outcome],
        rows: [{ record: one.trackingId, what: one.testCode, value: one.result ?? '', unit: '',
            limit: '', flags: [] }],
        perform: async ({ password }) => {
            await answer(api.POST('/confirmations/{id}/outcome', { ...of, ...condition(one),
                body: Object.assign({ outcome }, password
                    ? { signature: { password, contentHash: one.contentHash ?? '' } } : {}),
            }));
            await confirmationsChanged();
            say({ tone: 'ready', text: words.decided(nameOf(one), words.status[outcome]) });
        },
        renew: async () => decide(await readNow('/confirmations/{id}', of), outcome),
    };
}

const deciding = (outcome: Outcome): Action<Confirmation> => ({
    id: `confirmation.${outcome}`,
    title: () => words.decide[outcome],
    permission: 'confirmation.decide',
    visible: isPending,
    perform: (one) => ask(decide(one, outcome)),
});

export const confirmationActions: Action<Confirmation>[] = [
    {
        id: 'confirmation.step',
        title: () => words.step,
        permission: 'confirmation.record',
        step: true,
        keys: 'n',
        visible: isPending,
        perform: ({ id }) => navigate(paths.confirmation(id, 'step')),
    },
    deciding('confirmed'),
    deciding('refuted'),
];

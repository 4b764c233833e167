// SPDX-License-Identifier: Apache-2.0
//
// Actions on a presumptive positive: recording a reading, deciding the outcome.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { signature, signedContents, signedRow } from '../acting/signed.ts';
import type { SignedResult } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import { changed, condition, readNow } from '../api/read.ts';
import type { Read } from '../api/read.ts';
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

// Line of a reading, on which the outcome rests.
const lineOf = ({ position, medium, mediaLotCode, procedure, reading, outcome }:
Read<'/confirmations/{id}'>['steps'][number]): string =>
    `${position}. ${[medium, mediaLotCode, procedure, reading, outcome].filter(Boolean).join(', ')}`;

// Lists the result as it would be signed, its digest first, and the readings of it.
async function decide(id: number, outcome: Outcome): Promise<Question> {
    const signed = session()?.policies.esignatureRequired ?? false;
    const of = { params: { path: { id } } };
    const content = (await signedContents('sample_test', [id])).get(id);
    const one = await readNow('/confirmations/{id}', of);
    return {
        kind: signed ? 'signature' : 'confirm',
        title: `${words.decide[outcome]} ${one.testCode}`,
        note: one.trackingId,
        explanation: words.decideWhat[outcome],
        lines: one.steps.map(lineOf),
        rows: content ? [signedRow(one.trackingId, content.content as SignedResult)] : [],
        perform: async ({ password }) => {
            await answer(api.POST('/confirmations/{id}/outcome', { ...of, ...condition(one),
                body: Object.assign({ outcome },
                    password ? { signature: signature(password, content) } : {}),
            }));
            await confirmationsChanged();
            say({ tone: 'ready', text: words.decided(nameOf(one), words.status[outcome]) });
        },
        renew: () => decide(id, outcome),
    };
}

const deciding = (outcome: Outcome): Action<Confirmation> => ({
    id: `confirmation.${outcome}`,
    title: () => words.decide[outcome],
    permission: 'confirmation.decide',
    visible: isPending,
    perform: async ({ id }) => ask(await decide(id, outcome)),
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

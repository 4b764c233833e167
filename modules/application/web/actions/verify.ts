// SPDX-License-Identifier: Apache-2.0
//
// Reviewing results: verifying many by one signature, sending one back, asking for it again,
// choosing which of several is reported.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question, SignedRow } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { activePeople } from '../api/people.ts';
import type { Read } from '../api/read.ts';
import { changed } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { limitBeside } from '../texts/limit.ts';
import { t } from '../texts/texts.ts';
import { valueOf } from '../texts/value.ts';
import { samplesChanged } from './samples.ts';

export type Reviewed = Read<'/sample-tests'>['data'][number];

// Reasons for which a retest is chosen with its verification, by the id of the test.
export type Chosen = ReadonlyMap<number, string>;

export const trackingId = (test: Reviewed): string => test.sample?.trackingId ?? '';

export async function testsChanged(): Promise<void> {
    await Promise.all([changed('/sample-tests'), samplesChanged()]);
}

export function rowOf(test: Reviewed): SignedRow {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    return {
        record: trackingId(test),
        what: test.testCode,
        value: valueOf(test),
        unit: test.unit ?? '',
        limit: limitBeside(test.unit, test.specification),
        flags: test.outOfSpecification ? [{ code, meaning }] : [],
    };
}

async function readAgain({ id }: Reviewed): Promise<Reviewed> {
    return answer(api.GET('/sample-tests/{id}', {
        params: { path: { id }, query: { include: 'review' } },
    }));
}

// The question whose answer verifies these results, with the digest of what was seen of each.
export function verification(tests: Reviewed[], chosen: Chosen = new Map()): Question {
    const outside = tests.filter(({ outOfSpecification }) => outOfSpecification).length;
    const signed = session()?.policies.esignatureRequired ?? false;
    const items = tests.map(({ id, review }) => ({
        sampleTestId: id,
        ...(review ? { contentHash: review.contentHash } : {}),
        ...(chosen.has(id) ? { choose: chosen.get(id) ?? '' } : {}),
    }));
    return {
        kind: signed ? 'signature' : 'confirm',
        title: t.verify.verify(tests.length),
        subject: 'verify',
        explanation: t.verify.verifyWhat,
        rows: tests.map(rowOf),
        warnings: [
            ...(outside ? [t.verify.outside(outside)] : []),
            ...(chosen.size ? [t.verify.choosing(chosen.size)] : []),
        ],
        ...(signed ? { reason: 'may' as const } : {}),
        perform: async ({ password, reason }) => {
            await answer(api.POST('/sample-tests/verify', {
                body: Object.assign({ items, atomic: true },
                    reason ? { reason } : {}, password ? { signature: { password } } : {}),
            }));
            await testsChanged();
            say({ tone: 'ready', text: t.verify.verified(items.length) });
        },
        renew: async () => verification(await Promise.all(tests.map(readAgain)), chosen),
        without: (rows) => verification(tests.filter((_, i) => !rows.has(i)), chosen),
    };
}

const lineOf = (test: Reviewed): string =>
    `${trackingId(test)} ${test.testCode} ${valueOf(test)} ${test.unit ?? ''}`.trim();

const on = ({ id }: Pick<Reviewed, 'id'>) => ({ params: { path: { id } } });

// Sends a result back, to whoever entered it or to somebody else who is chosen.
async function sendBack(test: Reviewed): Promise<void> {
    const people = await activePeople();
    const enteredBy = people.find(({ id }) => id === test.enteredBy);
    ask({
        kind: 'reason',
        title: t.verify.sendBackOne(lineOf(test)),
        lines: [lineOf(test)],
        reason: 'must',
        choices: {
            label: t.verify.sendBackTo, one: true,
            none: enteredBy?.displayName ?? t.verify.sendBackToAnybody,
            values: people.filter((one) => one !== enteredBy)
                .map(({ id, displayName }) => ({ id: String(id), title: displayName })),
        },
        perform: async ({ reason = '', chosen: [person] }) => {
            await answer(api.POST('/sample-tests/{id}/return', { ...on(test), body: {
                reason, ...(person ? { assignedTo: Number(person) } : {}),
            } }));
            await testsChanged();
            say({ tone: 'ready', text: t.verify.sentBack(test.testCode) });
        },
    });
}

export const returnAction: Action<Reviewed> = {
    id: 'sample-test.return',
    title: () => t.verify.sendBack,
    permission: 'result.verify',
    keys: 'b',
    visible: ({ status, returned }) => status === 'entered' && returned === null,
    perform: sendBack,
};

const REPLICATES = ['2', '3', '4', '5', '6', '7', '8', '9', '10'];

// Asks why a test is done again, and how many times.
export function retest(
    test: Pick<Reviewed, 'id' | 'testCode'>, about: Pick<Question, 'note' | 'lines'>,
): void {
    ask({
        kind: 'reason',
        title: t.sample.retestTest(test.testCode),
        ...about,
        reason: 'must',
        choices: {
            label: t.sample.replicates, one: true, none: '1',
            values: REPLICATES.map((n) => ({ id: n, title: n })),
        },
        perform: async ({ reason = '', chosen: [replicates] }) => {
            const { tests } = await answer(api.POST('/sample-tests/{id}/retest', { ...on(test),
                body: { reason, replicates: Number(replicates ?? 1) } }));
            await testsChanged();
            say({ tone: 'ready', text: t.sample.testRetested(test.testCode, tests.length) });
        },
    });
}

export const retestAction: Action<Reviewed> = {
    id: 'sample-test.retest',
    title: () => t.verify.retest,
    permission: 'result.verify',
    keys: 't',
    visible: ({ status, disposition }) => status !== 'pending' && disposition === 'active',
    perform: (test) => retest(test, { lines: [lineOf(test)] }),
};

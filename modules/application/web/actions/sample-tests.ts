// SPDX-License-Identifier: Apache-2.0
//
// Actions on the tests of a sample: adding, verifying, cancelling, testing again, choosing which
// of several results is reported.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { signature, signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import { condition, readNow } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { may, session } from '../api/session.ts';
import { isOpen } from '../nouns/sample.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { valueOf } from '../texts/value.ts';
import { investigating } from './investigating.ts';
import { rowOf, testsChanged, verification } from './verify.ts';

type Sample = Read<'/samples/{id}'>;
type Test = Read<'/sample-tests'>['data'][number];

interface One {
    test: Test;
    sample: Sample;
}

const entered = ({ tests }: Sample): Sample['tests'] =>
    tests.filter(({ status, disposition }) => status === 'entered' && disposition === 'active');

// Reads the content to be signed just before it is shown, with the digest of what was seen.
async function verify(sample: Sample): Promise<void> {
    const { data } = await answer(api.GET('/sample-tests', { params: { query: {
        sampleId: sample.id, status: ['entered'], include: 'review', limit: 200,
    } } }));
    ask({ ...verification(data), note: sample.trackingId });
}

async function addTests(sample: Sample): Promise<void> {
    const there = new Set(sample.tests.map(({ testDefinitionId }) => testDefinitionId));
    const { data } = await answer(api.GET('/test-definitions', { params: { query: {
        active: true, limit: 500,
    } } }));
    ask({
        kind: 'confirm',
        title: t.sample.addTests,
        note: sample.trackingId,
        choices: {
            label: t.sample.addTestsWhich,
            values: data.filter(({ id }) => !there.has(id)).map(({ id, code, name }) => ({
                id: String(id), title: `${code} ${name}`,
            })),
        },
        perform: async ({ chosen }) => {
            await answer(api.POST('/samples/{id}/tests', {
                params: { path: { id: sample.id } },
                body: { testDefinitionIds: chosen.map(Number) },
            }));
            await testsChanged();
            say({ tone: 'ready', text: t.sample.testsAdded(chosen.length) });
        },
    });
}

export const testActions: Action<Sample>[] = [
    {
        id: 'sample-test.verify',
        title: (sample) => t.verify.verify(entered(sample).length),
        permission: 'result.verify',
        step: true,
        keys: 'v',
        visible: (sample) => isOpen(sample) && entered(sample).length > 0,
        perform: verify,
    },
    {
        id: 'sample-test.add',
        title: () => t.sample.addTests,
        permission: 'sample.edit',
        visible: isOpen,
        perform: addTests,
    },
];

function withReason(
    { test, sample }: One, title: string, done: string,
    act: (path: { params: { path: { id: number } } }, reason: string) => Promise<unknown>,
): void {
    ask({
        kind: 'reason',
        title,
        note: sample.trackingId,
        lines: [`${test.testCode} ${test.testName}`],
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await act({ params: { path: { id: test.id } } }, reason);
            await testsChanged();
            say({ tone: 'ready', text: done });
        },
    });
}

const readAgain = ({ id }: Test): Promise<Test> =>
    readNow('/sample-tests/{id}', { params: { path: { id } } });

const resultOf = (test: Test): string =>
    `${test.testCode} ${valueOf(test)} ${test.unit ?? ''}`.trim();

// Reopening is always signed: the result is no longer verified.
async function reopening({ test, sample }: One): Promise<Question> {
    const contents = await signedContents('sample_test', [test.id]);
    return {
        kind: 'signature',
        title: t.sample.reopenTest(test.testCode),
        note: sample.trackingId,
        explanation: t.sample.reopenWhat,
        rows: [{ ...rowOf(test), record: sample.trackingId }],
        reason: 'must',
        perform: async ({ reason, password }) => {
            await answer(api.POST('/sample-tests/{id}/reopen', {
                params: { path: { id: test.id } },
                body: { reason: reason ?? '',
                    signature: signature(password, contents.get(test.id)) },
            }));
            await testsChanged();
            say({ tone: 'ready', text: t.sample.testReopened(test.testCode) });
        },
        renew: async () => reopening({ sample, test: await readAgain(test) }),
    };
}

// Choosing which verified result of a repeated test is reported: signed where the laboratory signs,
// else of the version that was seen.
async function choosing(one: One): Promise<Question> {
    const { sample } = one;
    const test = await readAgain(one.test);
    const signed = session()?.policies.esignatureRequired ?? false;
    const content = signed ? (await signedContents('sample_test', [test.id])).get(test.id) : undefined;
    const what = resultOf(test);
    return {
        kind: signed ? 'signature' : 'reason',
        title: t.verify.chooseOne(what),
        note: sample.trackingId,
        explanation: t.verify.chooseVerified,
        rows: [{ ...rowOf(test), record: sample.trackingId }],
        reason: 'must',
        perform: async ({ reason, password }) => {
            await answer(api.POST('/sample-tests/{id}/choose', {
                params: { path: { id: test.id } },
                ...condition(test),
                body: Object.assign({ reason: reason ?? '' },
                    signed ? { signature: signature(password, content) } : {}),
            }));
            await testsChanged();
            say({ tone: 'ready', text: t.verify.choiceMade(what) });
        },
        renew: () => choosing(one),
    };
}

// A test is cancelled and taken back as a part of the order while it has no result, and later by
// who answers for results.
const mayCancel = ({ result }: Test): boolean =>
    may(result === null ? 'sample.edit' : 'result.verify');

export const oneTestActions: Action<One>[] = [
    investigating<One>('sample-test.investigate', ({ test, sample }) => ({
        of: `${test.testCode} ${sample.trackingId}`,
        kind: test.outOfSpecification ? 'oos' : 'deviation',
        title: `${test.testCode} ${sample.trackingId}`, sampleTestId: test.id,
    })),
    {
        id: 'sample-test.choose',
        title: ({ test }) => t.verify.chooseOne(resultOf(test)),
        permission: 'result.verify',
        visible: ({ test, sample }) => isOpen(sample) && test.status === 'verified'
            && test.disposition !== 'cancelled' && !test.reported,
        perform: async (one) => ask(await choosing(one)),
    },
    {
        id: 'sample-test.reopen',
        title: ({ test }) => t.sample.reopenTest(test.testCode),
        permission: 'result.reopen',
        visible: ({ test, sample }) => isOpen(sample) && test.disposition === 'active'
            && test.status === 'verified',
        perform: async (one) => ask(await reopening(one)),
    },
    {
        id: 'sample-test.retest',
        title: ({ test }) => t.sample.retestTest(test.testCode),
        permission: 'result.verify',
        visible: ({ test, sample }) => isOpen(sample) && test.disposition === 'active'
            && test.status !== 'pending',
        perform: (one) => withReason(one, t.sample.retestTest(one.test.testCode),
            t.sample.testRetested(one.test.testCode), (path, reason) =>
                answer(api.POST('/sample-tests/{id}/retest', { ...path, body: { reason } }))),
    },
    {
        id: 'sample-test.cancel',
        title: ({ test }) => t.sample.cancelTest(test.testCode),
        visible: ({ test, sample }) => mayCancel(test) && isOpen(sample)
            && test.disposition === 'active' && test.status !== 'verified',
        perform: (one) => withReason(one, t.sample.cancelTest(one.test.testCode),
            t.sample.testCancelled(one.test.testCode), (path, reason) =>
                answer(api.POST('/sample-tests/{id}/cancel', { ...path, body: { reason } }))),
    },
    {
        id: 'sample-test.restore',
        title: ({ test }) => t.sample.restoreTest(test.testCode),
        visible: ({ test, sample }) => mayCancel(test) && isOpen(sample)
            && test.disposition === 'cancelled',
        perform: (one) => withReason(one, t.sample.restoreTest(one.test.testCode),
            t.sample.testRestored(one.test.testCode), (path, reason) =>
                answer(api.POST('/sample-tests/{id}/restore', { ...path, body: { reason } }))),
    },
];

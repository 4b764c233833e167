// SPDX-License-Identifier: Apache-2.0
//
// Actions on the tests of a sample: adding, verifying, cancelling, testing again, choosing which
// of several results is reported.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { signature, signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import { AT_ONCE, type From, all } from '../api/pages.ts';
import { condition, readNow } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { may, session } from '../api/session.ts';
import { isOpen } from '../nouns/sample.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { valueOf } from '../texts/value.ts';
import { investigating } from './investigating.ts';
import { retest, rowOf, testsChanged, verification } from './verify.ts';

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

// Returns the tests that can be added to a sample, by the id of the choice: panels, with those that
// the sample lacks, and single ones. A test that was cancelled may be ordered again.
async function addable({ tests }: Sample): Promise<Map<string, { title: string; ids: number[] }>> {
    const query = (from: From) => ({ params: { query: { active: true, limit: AT_ONCE, ...from } } });
    const [definitions, panels] = await Promise.all([
        all((from) => answer(api.GET('/test-definitions', query(from)))),
        all((from) => answer(api.GET('/panels', query(from))))]);
    const there = new Set(tests.filter(({ disposition }) => disposition === 'active')
        .map(({ testDefinitionId }) => testDefinitionId));
    const missing = (ids: number[]): number[] => ids.filter((id) => !there.has(id));
    return new Map([
        ...panels.map(({ id, code, name, testDefinitionIds: whole }) => {
            const ids = missing(whole);
            return [`panel ${id}`, { ids,
                title: t.sample.panelOf(`${code} ${name}`, ids.length, whole.length) }] as const;
        }),
        ...definitions.map(({ id, code, name }) =>
            [`test ${id}`, { ids: missing([id]), title: `${code} ${name}` }] as const),
    ].filter(([, { ids }]) => ids.length > 0));
}

// Tests are added to a received sample with a reason where the laboratory asks for reasons.
async function addTests(sample: Sample): Promise<void> {
    const choices = await addable(sample);
    const asks = sample.receivedAt !== null && session()?.policies.reasonOnChange;
    ask({
        ...(asks ? { kind: 'reason', reason: 'must' } : { kind: 'confirm' }),
        title: t.sample.addTests,
        note: sample.trackingId,
        choices: {
            label: t.sample.addTestsWhich,
            values: [...choices].map(([id, { title }]) => ({ id, title })),
        },
        perform: async ({ chosen, reason }) => {
            const ids = new Set(chosen.flatMap((id) => choices.get(id)?.ids ?? []));
            await answer(api.POST('/samples/{id}/tests', {
                params: { path: { id: sample.id } },
                body: { testDefinitionIds: [...ids], ...(reason ? { reason } : {}) },
            }));
            await testsChanged();
            say({ tone: 'ready', text: t.sample.testsAdded(ids.size) });
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
        perform: ({ test, sample }) => retest(test, { note: sample.trackingId,
            lines: [`${test.testCode} ${test.testName}`] }),
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
    {
        id: 'sample-test.record',
        title: ({ test }) => t.sample.testRecord(test.testCode),
        perform: ({ test }) => navigate(paths.sampleTest(test.id, 'history')),
    },
];

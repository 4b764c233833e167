// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import './in_page.ts';
import type { Action } from '../../../../modules/application/web/acting/action.ts';
import { oneTestActions, testActions } from '../../../../modules/application/web/actions/sample-tests.ts';
import { sampleActions } from '../../../../modules/application/web/actions/samples.ts';
import { settable } from '../../../../modules/application/web/actions/sample-status.ts';
import { become, may } from '../../../../modules/application/web/api/session.ts';
import type { Session } from '../../../../modules/application/web/api/session.ts';

type About<Acts> = Acts extends Action<infer What>[] ? What : never;
type Sample = About<typeof sampleActions>[number];
type One = About<typeof oneTestActions>;

function signIn(permissions: string[], coaBeforeApproval = false): void {
    become({ is: 'in', session: {
        permissions, policies: { coaBeforeApproval },
        organization: { timeZone: 'UTC', locale: 'en' },
    } as unknown as Session });
}

const everything = ['sample.edit', 'sample.cancel', 'sample.receive', 'sample.report',
    'result.enter', 'result.verify', 'result.reopen', 'certificate.issue'];

beforeEach(() => signIn(everything));

const sample = (members: object): Sample => ({
    id: 1, trackingId: 'CB-26-0000001-K', status: 'received', disposition: 'active',
    amendment: null, releaseState: 'in_progress', receivedAt: null, flags: [],
    testCounts: { pending: 0, entered: 1, verified: 2 }, ...members,
} as unknown as Sample);

const offers = <What>(actions: Action<What>[], about: What, id: string): boolean =>
    actions.some((action) => action.id === id && may(action.permission)
        && (action.visible?.(about) ?? true));

const offered = (id: string, members: object): boolean =>
    offers(sampleActions, [sample(members)], id);

test('a sample is completed when each test has a result, whatever else it waits for', () => {
    const complete = (members: object): boolean => offered('sample.complete', members);
    assert.ok(complete({}));
    assert.ok(complete({ releaseState: 'blocked', disposition: 'on_hold', status: 'processing' }));
    assert.ok(!complete({ testCounts: { pending: 1, entered: 2, verified: 0 } }));
    assert.ok(!complete({ testCounts: { pending: 0, entered: 0, verified: 0 } }));
    assert.ok(!complete({ status: 'completed' }));
    assert.ok(complete({ tests: [{ status: 'entered', disposition: 'active' },
        { status: 'pending', disposition: 'cancelled' }] }));
    assert.ok(!complete({ tests: [{ status: 'pending', disposition: 'active' }] }));
});

test('a sample that can be reported is completed only where reports go before approvals', () => {
    const complete = (): boolean => offered('sample.complete', { releaseState: 'ready_to_report' });
    assert.ok(!complete());
    signIn(everything, true);
    assert.ok(complete());
});

test('a rejected sample is completed again by who may step back and complete', () => {
    const again = (members: object): boolean => offered('sample.complete-again', members);
    const rejected = { status: 'completed', flags: ['approval_rejected'] };
    assert.ok(again(rejected));
    assert.ok(!again({ ...rejected, flags: [] }));
    assert.ok(!again({ ...rejected, status: 'processing' }));
    signIn(['result.verify']);
    assert.ok(!again(rejected));
    signIn(['result.enter']);
    assert.ok(!again(rejected));
});

test('the statuses to choose from are those that the person may set', () => {
    assert.deepEqual(settable(sample({ status: 'completed' })),
        ['pending', 'received', 'processing', 'verified']);
    signIn(['result.enter']);
    assert.deepEqual(settable(sample({ status: 'received' })), ['processing', 'completed']);
    assert.deepEqual(settable(sample({ status: 'verified' })), []);
    assert.ok(!offered('sample.status', { status: 'verified' }));
});

const test1 = { status: 'entered', disposition: 'active', result: '7.10', reported: true };

const offeredOfTest = (id: string, members: object, of: object = {}): boolean => offers(
    oneTestActions, { test: { ...test1, ...of }, sample: sample(members) } as unknown as One, id);

test('on hold, or amended after it was disposed of, a sample is worked on', () => {
    const verified = { status: 'verified' };
    const amended = { status: 'reported', disposition: 'disposed', amendment: { id: 1 } };
    for (const members of [{ disposition: 'on_hold' }, amended]) {
        assert.ok(offeredOfTest('sample-test.reopen', members, verified));
        assert.ok(offeredOfTest('sample-test.retest', members));
        assert.ok(offers(testActions, { ...sample(members), tests: [] } as never, 'sample-test.add'));
        assert.ok(offered('sample.edit', members));
    }
    for (const members of [{ disposition: 'cancelled' }, { ...amended, amendment: null }]) {
        assert.ok(!offeredOfTest('sample-test.reopen', members, verified));
        assert.ok(!offered('sample.edit', members));
    }
});

test('a test with a result is cancelled and taken back by who verifies, another by who edits', () => {
    for (const [permissions, withResult, without] of [
        [['result.verify'], true, false], [['sample.edit'], false, true]] as const) {
        signIn([...permissions]);
        for (const [id, disposition] of [['sample-test.cancel', 'active'],
            ['sample-test.restore', 'cancelled']] as const) {
            assert.equal(offeredOfTest(id, {}, { disposition }), withResult);
            assert.equal(offeredOfTest(id, {}, { disposition, result: null, status: 'pending' }),
                without);
        }
    }
});

test('a cancelled sample is taken back by who cancels, one on hold by who edits', () => {
    for (const [permission, cancelled] of [['sample.cancel', true], ['sample.edit', false]] as const) {
        signIn([permission]);
        assert.equal(offered('sample.resume', { disposition: 'cancelled' }), cancelled);
        assert.equal(offered('sample.resume', { disposition: 'rejected' }), cancelled);
        assert.equal(offered('sample.resume', { disposition: 'on_hold' }), !cancelled);
    }
});

test('a certificate is issued for reported samples that have none', () => {
    const issue = (members: object): boolean =>
        offered('certificate.issue', { status: 'reported', ...members });
    assert.ok(issue({}));
    assert.ok(!issue({ certificateId: 7 }));
    assert.ok(!issue({ amendment: { id: 1 } }));
});

test('what was found on receipt is changed until the sample is completed', () => {
    const receipt = (members: object): boolean =>
        offered('sample.receipt', { receivedAt: '2026-11-24T08:00:00.000Z', ...members });
    assert.ok(receipt({}));
    assert.ok(receipt({ status: 'processing', disposition: 'on_hold' }));
    assert.ok(!receipt({ receivedAt: null }));
    assert.ok(!receipt({ status: 'completed' }));
    assert.ok(!receipt({ disposition: 'cancelled' }));
});

test('a sample is disposed of when the work on it has ended', () => {
    const dispose = (members: object): boolean => offered('sample.dispose', members);
    assert.ok(dispose({ status: 'reported' }));
    assert.ok(dispose({ disposition: 'cancelled' }));
    assert.ok(dispose({ disposition: 'rejected' }));
    assert.ok(!dispose({}));
    assert.ok(!dispose({ disposition: 'on_hold' }));
    assert.ok(!dispose({ status: 'reported', disposition: 'disposed' }));
    assert.ok(!dispose({ status: 'reported', amendment: { id: 1 } }));
});

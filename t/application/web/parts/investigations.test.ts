// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import './in_page.ts';
import { investigationActions } from '../../../../modules/application/web/actions/investigations.ts';
import { become, may } from '../../../../modules/application/web/api/session.ts';
import type { Session } from '../../../../modules/application/web/api/session.ts';
import type { Investigation } from '../../../../modules/application/web/nouns/investigation.tsx';

function signIn(permissions: string[], selfVerification = 'allowed'): void {
    become({ is: 'in', session: {
        permissions, policies: { selfVerification }, person: { id: 7 },
        organization: { timeZone: 'UTC', locale: 'en' },
    } as unknown as Session });
}

const investigation = (members: object): Investigation => ({
    id: 1, status: 'phase_1', nextStatuses: [], closedAt: null, retestPlan: 'Two', retestPlanBy: 7,
    retestPlanApproved: null, ...members,
} as unknown as Investigation);

const approving = investigationActions.find(({ id }) => id === 'investigation.approve-plan');

const offered = (members: object): boolean => may(approving?.permission)
    && (approving?.visible?.(investigation(members)) ?? false);
const refused = (members: object): string | undefined =>
    approving?.refused?.(investigation(members));

test('a retest plan is approved when it is written, once, while the investigation is open', () => {
    signIn(['investigation.close']);
    assert.ok(offered({}));
    assert.ok(!offered({ retestPlan: null }));
    assert.ok(!offered({ retestPlan: ' \n' }));
    assert.ok(!offered({ retestPlanApproved: { by: 8, at: '2026-11-20T10:00:00.000Z' } }));
    assert.ok(!offered({ status: 'closed', closedAt: '2026-11-20T10:00:00.000Z' }));
    signIn(['investigation.work']);
    assert.ok(!offered({}));
});

test('who wrote a retest plan is told that another approves it, where four eyes are asked for', () => {
    signIn(['investigation.close'], 'refused');
    assert.match(refused({}) ?? '', /another person than the one who wrote it/);
    assert.equal(refused({ retestPlanBy: 8 }), undefined);
    assert.equal(refused({ retestPlanBy: null }), undefined);
    signIn(['investigation.close']);
    assert.equal(refused({}), undefined);
});

// SPDX-License-Identifier: Apache-2.0
//
// A secret that is shown once is gone when its person has signed out.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Session, become } from '../../../../modules/application/web/api/session.ts';
import { reveal, revealed } from '../../../../modules/application/web/form/revealed.ts';

const session = { organization: { id: 1, locale: 'en-US' }, person: { id: 2 } } as unknown as Session;

test('a secret is not shown to whoever signs in next', () => {
    become({ is: 'in', session });
    reveal({ title: 'Key', note: '', secret: 'shown once' });
    become({ is: 'ended', session, at: '', by: 'time' });
    assert.equal(revealed()?.secret, 'shown once', 'the same person may come back');
    become({ is: 'nobody' });
    assert.equal(revealed(), null);
    become({ is: 'in', session: { ...session, person: { ...session.person, id: 3 } } });
    assert.equal(revealed(), null);
});

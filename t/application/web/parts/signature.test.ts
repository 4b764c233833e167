// SPDX-License-Identifier: Apache-2.0
//
// The signature tester against a signature that OpenSSL computed, and what people get wrong.
import assert from 'node:assert/strict';
import test from 'node:test';

import { judged } from '../../../../modules/application/web/pages/webhooks/signature.ts';

const sent = {
    secret: 'whsec_c2VjcmV0', timestamp: '1767603600', body: '{"id":1,"name":"café"}',
    signature: 'sha256=d75c6a0d91e16a170a23c0e60d454f4b4afb8fbfa87de40bd367579d9855f74c',
};

test('a signature fits what was signed', async () => {
    assert.deepEqual(await judged(sent), { is: 'fits' });
    assert.deepEqual(await judged({ ...sent, secret: ` ${sent.secret}\n` }), { is: 'fits' },
        'white space of copying is left out');
    assert.deepEqual(await judged({ ...sent, body: `${sent.body}\n` }), { is: 'ending' });
});

test('other characters of a signature are kept', async () => {
    for (const wrong of [{ body: '{"id": 1,"name":"café"}' }, { timestamp: '1767603601' },
        { secret: 'c2VjcmV0' }, { secret: 'whsec_c2VjcmV1' }]) {
        const verdict = await judged({ ...sent, ...wrong });
        assert.equal(verdict.is, 'differs');
    }
});

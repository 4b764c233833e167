// SPDX-License-Identifier: Apache-2.0
//
// Desks of a tab in which somebody signs out and in again: what was saved is opened anew, what was
// not is found again, by its person alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Session, become, ownerOf } from '../../../../modules/application/web/api/session.ts';
import { type } from '../../../../modules/application/web/grid/acts.ts';
import { Desk } from '../../../../modules/application/web/grid/desk.ts';
import {
    type Station, keepDesk, keptDesk, leaveDesk,
} from '../../../../modules/application/web/pages/bench/kept.ts';
import { unfinishedOf } from '../../../../modules/application/web/shell/unfinished.ts';
import { Hands, sheet } from '../grid/support.ts';

const nothing = () => Promise.reject(new Error('nothing is sent'));

function open(station: Station): Desk {
    const desk = new Desk(sheet(1, ['PH']), { clock: new Hands(), key: () => 'key',
        judge: nothing, send: nothing });
    keepDesk(station, desk);
    return desk;
}

function signIn(person: number): string {
    const session = { organization: { id: 1, locale: 'en-US' }, person: { id: person } };
    become({ is: 'in', session: session as unknown as Session });
    return ownerOf();
}

test('a desk that was left by signing out with all saved is opened anew', () => {
    const station = { owner: signIn(2), run: 'method A', href: '/a' };
    const desk = open(station);
    become({ is: 'nobody' });
    leaveDesk(station, desk);
    assert.equal(signIn(2), station.owner);
    assert.equal(keptDesk(station), undefined, 'the closed desk saves nothing');
});

test('a desk that was left by signing out with something unsaved waits for its person', () => {
    const station = { owner: signIn(2), run: 'method B', href: '/b' };
    const desk = open(station);
    desk.store.update(type('7'));
    become({ is: 'nobody' });
    leaveDesk(station, desk);
    const other = signIn(3);
    assert.equal(keptDesk({ ...station, owner: other }), undefined);
    assert.deepEqual(unfinishedOf(other), []);
    const owner = signIn(2);
    assert.deepEqual(unfinishedOf(owner).map(({ href }) => href), ['/b']);
    assert.equal(keptDesk({ ...station, owner }), desk);
    assert.deepEqual(unfinishedOf(owner), []);
    become({ is: 'nobody' });
});

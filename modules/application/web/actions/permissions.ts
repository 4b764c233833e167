// SPDX-License-Identifier: Apache-2.0
//
// Changing what roles may do: with a reason, and signed where acts are; what somebody else
// changed meanwhile is shown before it is replaced.
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed, condition } from '../api/read.ts';
import { session } from '../api/session.ts';
import type { Change, Matrix } from '../nouns/permission-matrix.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';

const words = t.users.permissions;

function linesOf({ role, gets, loses }: Change): string[] {
    const known: Record<string, string> = words.words;
    const name = t.reference.roles[role];
    return [...gets.map((one) => words.gets(name, known[one] ?? one)),
        ...loses.map((one) => words.loses(name, known[one] ?? one))];
}

export function changePermissions(matrix: Matrix, changes: Change[], done: () => void): void {
    const signed = session()?.policies.esignatureRequired ?? false;
    ask({
        kind: signed ? 'signature' : 'reason',
        title: words.change(changes.length),
        explanation: words.changedWhat,
        lines: changes.flatMap(linesOf),
        reason: 'must',
        perform: async ({ reason = '', password }) => {
            await answer(api.PATCH('/permissions', { ...condition(matrix), body: {
                roles: changes.map(({ role, permissions }) => ({ role, permissions })), reason,
                ...(password ? { signature: { password, contentHash: matrix.contentHash } } : {}),
            } })).finally(() => changed('/permissions'));
            await changed('/policies/impact', '/users');
            done();
            say({ tone: 'ready', text: words.changed(changes.length) });
        },
    });
}

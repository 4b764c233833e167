// SPDX-License-Identifier: Apache-2.0
//
// Ending a specification, so that the more general one applies again.
import { ask } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';

const words = t.reference.specifications;

export function inheritAgain(id: number, name: string, done: () => void): void {
    ask({
        kind: 'reason',
        title: words.inheritOf(name),
        explanation: words.inheritWhat,
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await answer(api.DELETE('/specifications/{id}', {
                params: { path: { id } }, body: { reason },
            }));
            await changed('/specifications', '/specifications/{id}');
            done();
            say({ tone: 'ready', text: words.inherited(name) });
        },
    });
}

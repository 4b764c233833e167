// SPDX-License-Identifier: Apache-2.0
//
// Files and comments of people on records.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { base64Of } from '../api/base64.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import type { Noted } from './record.ts';

type Attached = Read<'/attachments'>['data'][number];

interface On {
    table: Noted;
    id: number;
}

// `written` is called before the comments are read again: the text does not wait to be sent twice.
export async function comment(on: On, text: string, written: () => void): Promise<void> {
    await answer(api.POST('/comments', { body: { on, text } }));
    written();
    say({ tone: 'ready', text: t.record.commented });
    await changed('/comments');
}

export async function upload(on: On, files: File[]): Promise<void> {
    await each(files, ({ name }) => name, async (file) => answer(api.POST('/attachments', {
        body: {
            on,
            fileName: file.name,
            contentBase64: await base64Of(file),
            ...(file.type ? { mediaType: file.type } : {}),
        },
    })), t.record.attached);
    await changed('/attachments');
}

export const fileActions: Action<Attached>[] = [
    {
        id: 'attachment.withdraw',
        title: ({ fileName }) => t.record.withdraw(fileName),
        permission: 'note.add',
        visible: ({ addedBy, withdrawnAt }) =>
            withdrawnAt === null && addedBy === session()?.person.id,
        perform: ({ id, fileName }) => ask({
            kind: 'reason',
            title: t.record.withdraw(fileName),
            explanation: t.record.withdrawWhat,
            reason: 'must',
            perform: async ({ reason = '' }) => {
                await answer(api.POST('/attachments/{id}/withdraw', {
                    params: { path: { id } }, body: { reason },
                }));
                await changed('/attachments');
                say({ tone: 'ready', text: t.record.withdrawnDone(fileName) });
            },
        }),
    },
];

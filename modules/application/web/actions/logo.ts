// SPDX-License-Identifier: Apache-2.0
//
// The logo of certificates: changed with a reason, and signed where the laboratory signs.
import { base64Of } from '../api/base64.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { ask } from '../acting/ask.ts';
import type { Given } from '../acting/ask.ts';
import { signature, signedContents } from '../acting/signed.ts';

const words = t.organization.logo;

interface Why {
    reason: string;
    signature?: { password: string; contentHash: string };
}

// Asks why, and for the password where it is signed: over the organization as it is now.
async function askWhy(
    title: string, change: (why: Why) => Promise<unknown>, done: string,
): Promise<void> {
    const { organization: { id } = { id: 0 }, policies } = session() ?? {};
    const signed = policies?.esignatureRequired ?? false;
    const content = signed ? (await signedContents('organization', [id])).get(id) : undefined;
    ask({
        kind: signed ? 'signature' : 'reason',
        title,
        explanation: words.issued,
        reason: 'must',
        perform: async ({ reason = '', password }: Given) => {
            await change({ reason, ...(signed ? { signature: signature(password, content) } : {}) });
            await changed('/organization');
            say({ tone: 'ready', text: done });
        },
    });
}

export async function uploadLogo(file: File): Promise<void> {
    const contentBase64 = await base64Of(file);
    await askWhy(words.upload, (why) =>
        answer(api.POST('/organization/logo', { body: { contentBase64, ...why } })), words.uploaded);
}

export const removeLogo = (): Promise<void> => askWhy(words.remove, (why) =>
    answer(api.DELETE('/organization/logo', { body: why })), words.removed);

// SPDX-License-Identifier: Apache-2.0
//
// Actions on a worksheet: saving values, signing a step, withdrawing signatures.
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { changed } from '../api/read.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { samplesChanged } from './samples.ts';

export type Worksheet = Read<'/worksheets/{id}'>;
export type Meaning = keyof typeof t.worksheets.meanings;

const words = t.worksheets;

async function worksheetsChanged(): Promise<void> {
    await Promise.all([changed('/worksheets', '/worksheets/{id}', '/worksheets/{id}/history',
        '/sample-tests', '/signatures'), samplesChanged()]);
}

// Begins the worksheet where the test has none. A value replaces the one that was seen, and no other:
// where another stands by now, nothing is entered, and the worksheet is read again. `entered` is
// called before that.
export async function fill(
    sampleTestId: number, values: { field: string; value: string | null; was: string | null }[],
    entered: () => void = () => undefined,
): Promise<number> {
    try {
        const { id } = await answer(api.POST('/worksheets', { body: { sampleTestId, values } }));
        entered();
        return id;
    } finally {
        await worksheetsChanged();
    }
}

// Makes the question of a signature, which lists every value of the worksheet.
function signing(one: Worksheet, step: string, meaning: Meaning): Question {
    const of = { params: { path: { id: one.id } } };
    return {
        kind: 'signature',
        title: words.sign(step),
        note: `${one.testCode} ${one.trackingId}`,
        explanation: words.signWhat(words.meanings[meaning]),
        rows: one.values.map(({ field, label, value, unit }) => ({
            record: one.trackingId, what: label ?? field, value: value ?? '', unit: unit ?? '',
            limit: '', flags: [],
        })),
        perform: async ({ password = '' }) => {
            await answer(api.POST('/worksheets/{id}/sign-offs', { ...of,
                body: { step, meaning, signature: { password, contentHash: one.contentHash } },
            }));
            await worksheetsChanged();
            say({ tone: 'ready', text: words.signedOff(step) });
        },
        renew: async () => signing(await answer(api.GET('/worksheets/{id}', of)), step, meaning),
    };
}

export const sign = (one: Worksheet, step: string, meaning: Meaning): void =>
    ask(signing(one, step, meaning));

export const withdraw = (one: Worksheet): void => ask({
    kind: 'reason',
    title: words.withdraw,
    note: `${one.testCode} ${one.trackingId}`,
    lines: one.signOffs.map(({ step, meaning, printedName }) =>
        `${step}: ${words.signed(words.meanings[meaning], printedName)}`),
    reason: 'must',
    perform: async ({ reason = '' }) => {
        await answer(api.POST('/worksheets/{id}/withdraw', {
            params: { path: { id: one.id } }, body: { reason },
        }));
        await worksheetsChanged();
        say({ tone: 'ready', text: words.withdrawn });
    },
});

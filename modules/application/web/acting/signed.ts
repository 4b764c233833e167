// SPDX-License-Identifier: Apache-2.0
//
// Content that a signature would cover. It is read just before it is shown, and the act names its
// digest, so that nobody signs what has changed meanwhile.
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { limitBeside } from '../texts/limit.ts';
import { t } from '../texts/texts.ts';
import { valueOf } from '../texts/value.ts';
import type { SignedRow } from './ask.ts';

export type SignedContent = Read<'/signed-contents'>['data'][number];

export async function signedContents(
    table: SignedContent['table'], ids: number[],
): Promise<Map<number, SignedContent>> {
    const { data } = await answer(api.GET('/signed-contents', {
        params: { query: { table, recordId: ids, limit: 200 } },
    }));
    return new Map(data.map((content) => [content.id, content]));
}

// Returns the member of a body that signs the content that was seen.
export const signature = (password: string | undefined, content: SignedContent | undefined) =>
    ({ password: password ?? '', contentHash: content?.contentHash ?? '' });

export interface SignedResult {
    testCode: string;
    result: string | null;
    qualifier: string | null;
    unit: string | null;
    specification: string | null;
    outOfSpecification: boolean | null;
}

// Row of a result in content that is signed.
export function signedRow(record: string, one: SignedResult): SignedRow {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    return {
        record,
        what: one.testCode,
        value: valueOf(one),
        unit: one.unit ?? '',
        limit: limitBeside(one.unit, one.specification),
        flags: one.outOfSpecification ? [{ code, meaning }] : [],
    };
}

// Rows of the results that a signed report states.
export const certifiedRows = (
    record: string, content: SignedContent | undefined, item?: number,
): SignedRow[] => (content ? resultsIn(content) : []).map((one) => ({
    ...(item === undefined ? {} : { item }),
    ...signedRow(record, one),
}));

// The results in the content of a sample or of an approval of it.
function resultsIn({ content }: SignedContent): SignedResult[] {
    const inner = content as { results?: SignedResult[]; content?: { results?: SignedResult[] } };
    return inner.results ?? inner.content?.results ?? [];
}

// SPDX-License-Identifier: Apache-2.0
//
// What a signature would cover, read at once before it is shown: the act that follows names
// it, so that nobody signs what changed meanwhile.
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';

export type SignedContent = Read<'/signed-contents'>['data'][number];

export async function signedContents(
    table: SignedContent['table'], ids: number[],
): Promise<Map<number, SignedContent>> {
    const { data } = await answer(api.GET('/signed-contents', {
        params: { query: { table, recordId: ids, limit: 200 } },
    }));
    return new Map(data.map((content) => [content.id, content]));
}

interface SignedResult {
    testCode: string;
    result: string | null;
    qualifier: string | null;
    unit: string | null;
    specification: string | null;
    outOfSpecification: boolean | null;
}

// The results in the content of a sample or of an approval of it.
export function resultsIn({ content }: SignedContent): SignedResult[] {
    const inner = content as { results?: SignedResult[]; content?: { results?: SignedResult[] } };
    return inner.results ?? inner.content?.results ?? [];
}

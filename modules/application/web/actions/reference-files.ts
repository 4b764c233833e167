// SPDX-License-Identifier: Apache-2.0
//
// Reference data out of a file: tried first, so that every difference and every mistake is
// seen; then those differences are imported and no others.
import type { paths as service } from '#api';

import { base64Of } from '../api/base64.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { ReadPath } from '../api/read.ts';

type Import = service['/reference-data/import']['post'];
type Body = Import['requestBody']['content']['application/json'];

export type FileNoun = Body['noun'];
export type Tried = Import['responses']['200']['content']['application/json'];
export type Difference = Tried['differences'][number];
export type Mistake = Tried['errors'][number];

const nouns: ReadonlySet<string> = new Set<FileNoun>(['test-definitions', 'specifications',
    'panels', 'material-types', 'projects', 'clients', 'storage-locations', 'instruments',
    'label-sizes']);

export const hasFile = (noun: string): noun is FileNoun => nouns.has(noun);

export interface Given {
    name: string;
    contentBase64: string;
    tried: Tried;
}

const send = (body: Body): Promise<Tried> => answer(api.POST('/reference-data/import', { body }));

export async function tryFile(noun: FileNoun, file: File): Promise<Given> {
    const contentBase64 = await base64Of(file);
    return { name: file.name, contentBase64,
        tried: await send({ noun, contentBase64, dryRun: true }) };
}

export async function importFile(
    noun: FileNoun, { contentBase64, tried }: Given, reason: string | undefined,
): Promise<Tried> {
    const { contentHash } = tried;
    const done = await send({ noun, contentBase64, contentHash, ...(reason ? { reason } : {}) });
    await changed(`/${noun}` as ReadPath, `/${noun}/{id}` as ReadPath);
    return done;
}

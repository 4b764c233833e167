// SPDX-License-Identifier: Apache-2.0
//
// Requests of a form: the record as it is now, and the change, which is made only if the record is
// still that version (If-Match).
import type { PathsWithMethod } from 'openapi-typescript-helpers';

import type { paths } from '#api';

import { signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import { problemOf } from '../api/problem.ts';
import { changed } from '../api/read.ts';
import type { ReadPath } from '../api/read.ts';
import { session } from '../api/session.ts';
import type { ActPath, FormDefinition } from './definition.ts';

type PatchPath = PathsWithMethod<paths, 'patch'>;

export type Record_ = Record<string, unknown>;

export interface Found {
    record: Record_;
    etag: string | null;
}

export async function readRecord({ one }: Pick<FormDefinition, 'one'>, id: number): Promise<Found> {
    const { data, error, response }: { data?: unknown; error?: unknown; response: Response }
        = await api.GET(one, { params: { path: { id } } } as never);
    if (!response.ok) {
        throw problemOf(response, error);
    }
    return { record: data as Record_, etag: response.headers.get('ETag') };
}

// Returns the digest of the content that the person will sign; null where the laboratory does not
// sign.
export async function signedHash(
    { signs }: FormDefinition, id: number | null,
): Promise<string | null> {
    if (!signs || id === null || !session()?.policies.esignatureRequired) {
        return null;
    }
    return (await signedContents(signs, [id])).get(id)?.contentHash ?? null;
}

const readAgain = ({ list, one }: Pick<FormDefinition, 'list' | 'one'>): Promise<void> =>
    changed(...list ? [list as ReadPath, one] : [one]);

export async function create(definition: FormDefinition, body: Record_): Promise<Record_> {
    const { list, of } = definition;
    if (!list) {
        throw new Error(`No ${definition.one} is made by a form.`);
    }
    const made: unknown = await answer(api.POST(list, {
        body, ...(of === undefined ? {} : { params: { path: { id: of } } }),
    } as never));
    await readAgain(definition);
    return made as Record_;
}

export async function change(
    definition: Pick<FormDefinition, 'list' | 'one'>, id: number, etag: string | null,
    body: Record_,
): Promise<Record_> {
    const made: unknown = await answer(api.PATCH(definition.one as PatchPath, {
        params: { path: { id } }, body, headers: etag ? { 'If-Match': etag } : {},
    } as never));
    await readAgain(definition);
    return made as Record_;
}

// Acts have no condition (If-Match): their own rules say whether they can be done.
export async function act(
    definition: Pick<FormDefinition, 'list' | 'one'>, path: ActPath, id: number, body: Record_,
): Promise<Record_> {
    const made: unknown = await answer(api.POST(path, {
        params: { path: { id } }, body,
    } as never));
    await readAgain(definition);
    return made as Record_;
}

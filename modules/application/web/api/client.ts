// SPDX-License-Identifier: Apache-2.0
//
// The one way to the service: a client typed by its OpenAPI document. A change gets an
// Idempotency-Key, so that sending it again does nothing twice; what is hidden in texts is
// made visible; a refusal is thrown as a Problem.
import createClient from 'openapi-fetch';

import type { paths } from '#api';

import { sendOnce } from './once.ts';
import { problemOf } from './problem.ts';
import { apiBase } from './send.ts';
import { visible } from './visible.ts';

async function ask(request: Request): Promise<Response> {
    const response = await sendOnce(request);
    const json = response.headers.get('Content-Type')?.startsWith('application/json');
    return json ? new Response(visible(await response.text()), response) : response;
}

export const api = createClient<paths>({
    baseUrl: apiBase,
    fetch: ask,
    querySerializer: { array: { style: 'form', explode: false } },
});

export async function answer<T>(
    asked: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
    const { data, error, response } = await asked;
    if (!response.ok || data === undefined) {
        throw problemOf(response, error);
    }
    return data;
}

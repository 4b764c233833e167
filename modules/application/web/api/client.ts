// SPDX-License-Identifier: Apache-2.0
//
// The one way to the service: a client typed by its OpenAPI document. A change gets an
// Idempotency-Key, so that sending it again does nothing twice; a refusal is thrown as a
// Problem.
import createClient, { type Middleware } from 'openapi-fetch';

import type { paths } from '#api';

import { problemOf } from './problem.ts';
import { apiBase, send } from './send.ts';

const dress: Middleware = {
    onRequest({ request }) {
        if (request.method !== 'GET' && !request.headers.has('Idempotency-Key')) {
            request.headers.set('Idempotency-Key', crypto.randomUUID());
        }
        return request;
    },
};

export const api = createClient<paths>({
    baseUrl: apiBase,
    fetch: send,
    querySerializer: { array: { style: 'form', explode: false } },
});
api.use(dress);

export async function answer<T>(
    asked: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
    const { data, error, response } = await asked;
    if (!response.ok || data === undefined) {
        throw problemOf(response, error);
    }
    return data;
}

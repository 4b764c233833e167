// SPDX-License-Identifier: Apache-2.0
//
// Sends every request to the service, with the header fields that show this page and this session,
// and handles the end of the session. A request belongs to the person in whose session it was
// begun: when the person signs out it has no answer, and never goes on in the session of the next.
import { back, current, ended, learnWays, session, turnOf } from './session.ts';
import { found } from './connection.ts';
import { unreachable } from './problem.ts';

// Base path of the application: this module is loaded from <base>/assets/….
export const base = new URL('..', import.meta.url).pathname.replace(/\/$/, '');
export const apiBase = `${base}/api`;

// Whether a request asks who is signed in; it does not state who should be.
const isWho = (request: Request): boolean =>
    request.method === 'GET' && request.url.endsWith('/session');

// Whether a request is about the session itself: signing in and out, passwords.
export const isOfSession = ({ url }: Request): boolean => /\/session(?:\/|$)/.test(url);

function dressed(request: Request): Request {
    const id = session()?.id;
    request.headers.set('X-Lims-Request', '1');
    if (id !== undefined && !isWho(request)) {
        request.headers.set('X-Lims-Session', String(id));
    }
    return request;
}

async function attempt(request: Request, turn: AbortSignal): Promise<Response> {
    const signal = AbortSignal.any([request.signal, turn]);
    try {
        const response = await fetch(dressed(request.clone()), { signal });
        found(response.status === 503 ? 'busy' : 'here');
        return response;
    } catch (error) {
        if (turn.aborted) {
            throw unreachable();
        }
        if (error instanceof DOMException && error.name === 'AbortError') {
            throw error;
        }
        found('offline');
        throw unreachable();
    }
}

async function endedBy(response: Response): Promise<'time' | 'other'> {
    const body: unknown = await response.clone().json().catch(() => null);
    learnWays(body);
    return typeof body === 'object' && body !== null && 'error' in body
        && body.error === 'session_changed' ? 'other' : 'time';
}

// The answer 401 to signing in is the page's own matter. A poll does not wait until a person is
// back.
export async function send(request: Request): Promise<Response> {
    const background = request.headers.has('X-Lims-Background');
    const own = request.url.endsWith('/session') && request.method !== 'GET';
    const turn = turnOf();

    // Without a session nothing else can be changed, whatever act is still going on.
    if (current().is === 'nobody' && request.method !== 'GET' && !isOfSession(request)) {
        throw unreachable();
    }
    for (;;) {
        const response = await attempt(request, turn);
        if (response.status !== 401 || own || current().is === 'unknown'
            || current().is === 'nobody') {
            return response;
        }
        ended(await endedBy(response));
        if (background) {
            return response;
        }
        await back();
    }
}

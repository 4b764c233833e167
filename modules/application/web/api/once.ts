// SPDX-License-Identifier: Apache-2.0
//
// A change whose answer was lost may have been made. When a person sends it again as it was,
// it is the same request, under the same Idempotency-Key, and is not made twice. Nor is one
// that is sent again while it is on its way: a button was pressed twice.
import { problemOf } from './problem.ts';
import { isOfSession, send } from './send.ts';
import { ownerOf } from './session.ts';

// Time, in milliseconds, within which sending the same change again counts as a retry of the lost
// one.
const remembered = 5 * 60_000;

interface Lost {
    key: string;
    record: string;
    until: number;
}

const lost = new Map<string, Lost>();
const onTheirWay = new Map<string, Promise<Response>>();

// Returns the path of the record that a change is about, or of the list that it adds to.
const recordOf = (url: string): string => /^.*?\/api\/[^/]+(?:\/\d+)?/.exec(url)?.[0] ?? url;

// Returns the identity of a person's change; null: it is not remembered. A password is no part of
// it, and a request about passwords alone has none.
async function meaningOf(request: Request): Promise<string | null> {
    if (isOfSession(request)) {
        return null;
    }
    const body = await request.clone().text();
    const said: unknown = body.includes('"signature"') ? JSON.parse(body) : body;
    const meant = typeof said === 'object' ? { ...said, signature: undefined } : said;
    const text = new TextEncoder().encode(
        JSON.stringify([ownerOf(), request.method, request.url, request.headers.get('If-Match'),
            meant]));
    return new Uint8Array(await crypto.subtle.digest('SHA-256', text)).join();
}

async function isLost(response: Response): Promise<boolean> {
    return !response.ok
        && problemOf(response, await response.clone().json().catch(() => null)).passing;
}

// Forgets the lost changes of a record once another change of it was answered: sending one of them
// after that would be a new change.
function forget(meaning: string, record: string): void {
    for (const [other, one] of lost) {
        if (other === meaning || one.record === record || one.until < Date.now()) {
            lost.delete(other);
        }
    }
}

async function sendKeyed(request: Request, meaning: string): Promise<Response> {
    const known = lost.get(meaning);
    const key = known && known.until > Date.now() ? known.key : crypto.randomUUID();
    const record = recordOf(request.url);
    const remember = (): unknown =>
        lost.set(meaning, { key, record, until: Date.now() + remembered });

    request.headers.set('Idempotency-Key', key);
    try {
        const response = await send(request);
        if (await isLost(response)) {
            remember();
        } else {
            forget(meaning, record);
        }
        return response;
    } catch (error) {
        remember();
        throw error;
    }
}

// Sends a request. A change gets an idempotency key, unless the page has given it one.
export async function sendOnce(request: Request): Promise<Response> {
    if (request.method === 'GET' || request.headers.has('Idempotency-Key')) {
        return send(request);
    }
    const meaning = await meaningOf(request);
    if (meaning === null) {
        request.headers.set('Idempotency-Key', crypto.randomUUID());
        return send(request);
    }
    const sent = onTheirWay.get(meaning)
        ?? sendKeyed(request, meaning).finally(() => onTheirWay.delete(meaning));
    onTheirWay.set(meaning, sent);
    return (await sent).clone();
}

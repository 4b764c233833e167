// SPDX-License-Identifier: Apache-2.0
//
// The signature of a delivery, computed as a receiver has to: HMAC-SHA256 with the whole
// secret, `whsec_` included, over timestamp, period and body.
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const hex = (digest: ArrayBuffer): string => [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0')).join('');

export async function signatureOf(secret: string, timestamp: string, body: string): Promise<string> {
    const key = await crypto.subtle.importKey('raw', bytes(secret),
        { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return `sha256=${hex(await crypto.subtle.sign('HMAC', key, bytes(`${timestamp}.${body}`)))}`;
}

export interface Delivered {
    secret: string;
    timestamp: string;
    signature: string;
    body: string;
}

// `ending`: whether the signature fits without the line end that was copied with the body.
export type Verdict = { is: 'fits' | 'ending' } | { is: 'differs'; computed: string };

export async function judged({ secret, timestamp, signature, body }: Delivered): Promise<Verdict> {
    const [key, time, sent] = [secret.trim(), timestamp.trim(), signature.trim().toLowerCase()];
    const computed = await signatureOf(key, time, body);
    if (computed === sent) {
        return { is: 'fits' };
    }
    const bare = body.replace(/\r?\n$/, '');
    return bare !== body && await signatureOf(key, time, bare) === sent
        ? { is: 'ending' } : { is: 'differs', computed };
}

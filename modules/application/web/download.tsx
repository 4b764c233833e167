// SPDX-License-Identifier: Apache-2.0
//
// A file of the service, kept as it came: asked for like everything else, so that a refusal
// is told and a session that ended is signed in again first.
import type { MouseEvent, ReactElement, ReactNode } from 'react';

import { tell } from './actions/action.ts';
import { asProblem, problemOf } from './api/problem.ts';
import { send } from './api/send.ts';

interface File {
    fileName: string;
    contentBase64: string;
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

// Never shown and of no type that a sender claimed: it is only saved.
function keep({ fileName, contentBase64 }: File): void {
    const url = URL.createObjectURL(new Blob([bytesOf(contentBase64)],
        { type: 'application/octet-stream' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileName;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function fetchFile(href: string): Promise<void> {
    const response = await send(new Request(new URL(href, location.href)));
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) {
        throw problemOf(response, body);
    }
    keep(body as File);
}

interface Properties {
    href: string;
    className?: string | undefined;
    children: ReactNode;
}

export function Download({ href, className, children }: Properties): ReactElement {
    const get = (event: MouseEvent): void => {
        event.preventDefault();
        fetchFile(href).catch((error: unknown) => tell(asProblem(error)));
    };
    return <a href={href} className={className} download onClick={get}>{children}</a>;
}

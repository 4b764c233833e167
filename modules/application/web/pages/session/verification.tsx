// SPDX-License-Identifier: Apache-2.0
//
// The page of anybody who holds a certificate: its code, in the address or typed, says
// whether it is valid; whether a file is the document that was issued is found out by its
// digest, which the browser computes, so that the file stays where it is.
import { useEffect, useState } from 'react';
import type { ChangeEvent, FormEvent, ReactElement } from 'react';

import type { paths as Paths } from '#api';

import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { paths } from '../../paths.ts';
import { t } from '../../texts/texts.ts';
import { utc } from '../../texts/time.ts';

type Told = Paths['/verifications']['get']['responses']['200']['content']['application/json'];

const words = t.verification;

// Whether this page was opened to verify a certificate.
export const isVerification = location.pathname.startsWith(paths.verification());

const codeOfAddress = decodeURIComponent(
    location.pathname.slice(paths.verification().length).replace(/^\//, ''));

async function digestOf(file: File): Promise<string> {
    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const ask = (code: string, sha256?: string): Promise<Told> =>
    answer(api.GET('/verifications', {
        params: { query: { code, ...(sha256 ? { sha256 } : {}) } } }));

function Verdict({ told }: { told: Told }): ReactElement {
    const { supersededBy: by } = told;
    return by ? (
        <p className="verdict attention" role="status">
            <Glyph name="attention" />
            <span>{words.superseded(by.version, utc(by.issuedAt))}</span>
        </p>
    ) : (
        <p className="verdict ready" role="status">
            <Glyph name="ready" /><span>{words.valid}</span>
        </p>
    );
}

function OfFile({ matches, name }: { matches: boolean | null; name: string }): ReactElement {
    return matches ? (
        <p className="verdict ready" role="status">
            <Glyph name="ready" /><span>{words.same(name)}</span>
        </p>
    ) : (
        <p className="verdict blocked" role="alert">
            <Glyph name="blocked" />
            <span>{matches === null ? words.noDocument : words.other(name)}</span>
        </p>
    );
}

function Certificate({ code, told }: { code: string; told: Told }): ReactElement {
    const [file, setFile] = useState<{ name: string; matches: boolean | null } | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const compare = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
        const chosen = currentTarget.files?.[0];
        setProblem(null);
        setFile(null);
        if (chosen) {
            digestOf(chosen).then((sha256) => ask(code, sha256))
                .then(({ fileMatches }) => setFile({ name: chosen.name, matches: fileMatches }))
                .catch((error: unknown) => setProblem(asProblem(error)));
        }
    };

    return (
        <section className="section" aria-label={words.certificate}>
            <Verdict told={told} />
            <dl className="pairs">
                <dt>{words.number}</dt><dd className="id">{told.number}</dd>
                <dt>{words.version}</dt><dd>{told.version}</dd>
                <dt>{words.laboratory}</dt><dd>{told.laboratory}</dd>
                <dt>{words.issued}</dt><dd>{utc(told.issuedAt)}</dd>
            </dl>
            <label htmlFor="file">{words.file}</label>
            <input id="file" type="file" onChange={compare} />
            <p className="caption">{words.fileHelp}</p>
            {file ? <OfFile {...file} /> : null}
            {problem ? <p role="alert">{t.sentence(problem)}</p> : null}
        </section>
    );
}

export function VerificationPage(): ReactElement {
    const [asked, setAsked] = useState({ code: codeOfAddress });
    const [told, setTold] = useState<{ code: string; told: Told } | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setAsked({ code: String(new FormData(event.currentTarget).get('code')) });
    };

    // The code of the address at once, and each that is typed.
    useEffect(() => {
        document.title = `${words.title} · ${t.product}`;
        setTold(null);
        setProblem(null);
        if (asked.code) {
            ask(asked.code).then((found) => setTold({ code: asked.code, told: found }),
                (error: unknown) => setProblem(asProblem(error)));
        }
    }, [asked]);
    return (
        <main className="entry">
            <h1>{words.title}</h1>
            <form aria-label={words.title} onSubmit={submit} data-scanned>
                <label htmlFor="code">{words.code}</label>
                <input id="code" name="code" className="id" defaultValue={asked.code} required
                    maxLength={64} autoComplete="off" spellCheck={false} />
                <Button kind="primary" type="submit">{words.act}</Button>
            </form>
            {problem ? (
                <p className="verdict blocked" role="alert">
                    <Glyph name="blocked" /><span>{t.sentence(problem)}</span>
                </p>
            ) : null}
            {told ? <Certificate key={told.code} {...told} /> : null}
        </main>
    );
}

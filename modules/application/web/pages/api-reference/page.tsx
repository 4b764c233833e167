// SPDX-License-Identifier: Apache-2.0
//
// The API's reference for those who program against it: what every request takes and
// answers, made from the same document that the service gives to programs.
import openapi from '#reference';
import { useEffect, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';

import { Prose } from '../../prose/prose.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { resourcesOf } from './document.ts';
import type { OpenApi, Operation, Resource } from './document.ts';
import { OperationShown } from './operation.tsx';

const { apiReference: texts } = t;
const document = openapi as OpenApi;

function Entry({ operation, here }: { operation: Operation; here: boolean }): ReactElement {
    return (
        <li>
            <Link href={paths.apiReference(operation.id)} aria-current={here ? 'page' : undefined}>
                {operation.summary}
            </Link>
        </li>
    );
}

function Contents({ resources, at }: { resources: Resource[]; at?: string }): ReactElement {
    return (
        <nav className="contents" aria-label={texts.contents}>
            <ul>
                <li>
                    <Link href={paths.apiReference()} aria-current={at ? undefined : 'page'}>
                        {texts.about}
                    </Link>
                </li>
            </ul>
            {resources.map(({ tag, operations }) => (
                <section key={tag}>
                    <h2>{tag}</h2>
                    <ul>
                        {operations.map((operation) => (
                            <Entry key={operation.id} operation={operation} here={operation.id === at} />
                        ))}
                    </ul>
                </section>
            ))}
        </nav>
    );
}

function Shown({ resources, at }: { resources: Resource[]; at: string }): ReactElement {
    const found = resources.flatMap(({ operations }) => operations).find(({ id }) => id === at);
    return found ? <OperationShown operation={found} /> : <p>{texts.unknown(at)}</p>;
}

export function ApiReference({ operation }: { operation?: string | undefined }): ReactElement {
    const resources = useMemo(() => resourcesOf(document), []);
    const reading = useRef<HTMLDivElement>(null);

    // Another operation is read from its beginning.
    useEffect(() => {
        reading.current?.scrollTo(0, 0);
    }, [operation]);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                <span className="quiet">
                    {texts.count(resources.reduce((sum, one) => sum + one.operations.length, 0))}
                </span>
            </div>
            <div className="body reading">
                <Contents resources={resources} {...(operation ? { at: operation } : {})} />
                <div className="pane" ref={reading} role="region" aria-label={texts.title} tabIndex={0}>
                    {operation ? <Shown resources={resources} at={operation} />
                        : <Prose text={document.info.description} />}
                </div>
            </div>
        </main>
    );
}

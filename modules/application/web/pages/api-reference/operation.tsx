// SPDX-License-Identifier: Apache-2.0
//
// One operation: its purpose, parameters and body, answers, and a form to try it.
import type { ReactElement } from 'react';

import { Prose, Words } from '../../prose/prose.tsx';
import { t } from '../../texts/texts.ts';
import type { Answer, Member, Operation } from './document.ts';

const { apiReference: texts } = t;

function Row({ member }: { member: Member }): ReactElement {
    return (
        <tr>
            <th scope="row" className="id">{'\u2003'.repeat(member.depth)}{member.name}</th>
            <td><Words text={member.kind} />{member.required ? `, ${texts.required}` : ''}</td>
            <td><Words text={member.about} /></td>
        </tr>
    );
}

function Members({ title, members }: { title: string; members: Member[] }): ReactElement | null {
    if (members.length === 0) {
        return null;
    }
    return (
        <div className="wide-table" role="region" aria-label={title} tabIndex={0}>
            <table className="table wrap members" aria-label={title}>
                <thead>
                    <tr>
                        <th scope="col">{texts.name}</th>
                        <th scope="col">{texts.kind}</th>
                        <th scope="col">{texts.meaning}</th>
                    </tr>
                </thead>
                <tbody>
                    {members.map((member, i) => <Row key={i} member={member} />)}
                </tbody>
            </table>
        </div>
    );
}

function AnswerShown({ answer }: { answer: Answer }): ReactElement {
    return (
        <section>
            <h3>{answer.status}</h3>
            <Prose text={answer.about} />
            <Members title={texts.answer(answer.status)} members={answer.members} />
        </section>
    );
}

function sample({ method, path, media, body }: Operation): string {
    const lines = [`curl -X ${method} https://HOST${path}`, '-H "Authorization: Bearer $KEY"'];
    if (body.length > 0) {
        lines.push(`-H 'Content-Type: ${media}'`, "-d '{ … }'");
    }
    return lines.join(' \\\n    ');
}

const isWebhook = (operation: Operation): boolean => !operation.path.startsWith('/');

export function OperationShown({ operation }: { operation: Operation }): ReactElement {
    const { body, answers, parameters } = operation;
    return (
        <article className="prose">
            <h2>{operation.summary}</h2>
            <p className="id">{operation.method} {operation.path}</p>
            <Prose text={operation.about} />
            {parameters.length ? <h3>{texts.parameters}</h3> : null}
            <Members title={texts.parameters} members={parameters} />
            {body.length ? <h3>{texts.body}</h3> : null}
            <Members title={texts.body} members={body} />
            {isWebhook(operation) ? null : (
                <>
                    <h3>{texts.example}</h3>
                    <pre className="id" role="region" aria-label={texts.example} tabIndex={0}>
                        {sample(operation)}
                    </pre>
                </>
            )}
            <h2>{texts.answers}</h2>
            {answers.map((answer) => <AnswerShown key={answer.status} answer={answer} />)}
        </article>
    );
}

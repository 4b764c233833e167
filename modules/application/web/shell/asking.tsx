// SPDX-License-Identifier: Apache-2.0
//
// The two dialogs of every act: a reason, a signature. They say what will happen to how
// many of what, list it, and put the cursor where one types next.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { ask } from '../actions/ask.ts';
import type { Question, SignedRow } from '../actions/ask.ts';
import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { SidePanel } from '../parts/dialog.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Flag, Status } from '../parts/status.tsx';
import { t } from '../texts/texts.ts';

function Rows({ rows }: { rows: SignedRow[] }): ReactElement {
    const { columns } = t.asking;
    return (
        <div className="list" role="region" aria-label={t.asking.signed} tabIndex={0}>
            <table className="table">
                <thead>
                    <tr>
                        <th className="w-no right" scope="col">
                            <span className="unseen">{columns.no}</span>
                        </th>
                        <th className="w-id" scope="col">{columns.record}</th>
                        <th className="w-short" scope="col">{columns.what}</th>
                        <th className="w-code right" scope="col">{columns.value}</th>
                        <th className="w-code" scope="col">{columns.unit}</th>
                        <th className="w-code" scope="col">{columns.limit}</th>
                        <th scope="col">{columns.flags}</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row, i) => (
                        <tr key={i}>
                            <td className="right quiet">{i + 1}</td>
                            <th scope="row" className="id">{row.record}</th>
                            <td>{row.what}</td>
                            <td className="right"><strong>{row.value}</strong></td>
                            <td>{row.unit}</td>
                            <td>{row.limit}</td>
                            <td>{row.flags.map((flag) => <Flag key={flag.code} {...flag} />)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Lines({ lines }: { lines: string[] }): ReactElement {
    return (
        <div className="list" role="region" aria-label={t.asking.about} tabIndex={0}>
            <ul className="lines">{lines.map((line) => <li key={line} className="id">{line}</li>)}</ul>
        </div>
    );
}

function Refusal({ problem }: { problem: Problem }): ReactElement {
    const sentence = problem.slug === 'signature_invalid'
        ? t.asking.passwordWrong(problem.attemptsLeft) : t.sentence(problem);
    return (
        <div className="field" role="alert" id="refusal">
            <span className="refusal"><Glyph name="blocked" /><span>{sentence}</span></span>
            {problem.blockers.map((blocker) => (
                <span className="refusal" key={blocker.message}>
                    <Glyph name="blocked" /><span>{blocker.message}</span>
                </span>
            ))}
            <span className="id quiet">{problem.slug}</span>
        </div>
    );
}

function Choices({ choices }: { choices: NonNullable<Question['choices']> }): ReactElement {
    return (
        <fieldset className="pickmany">
            <legend className="caption">{choices.label}</legend>
            {choices.values.map(({ id, title }, i) => (
                <label className="pick" key={id}>
                    <input type="checkbox" name="chosen" value={id} autoFocus={i === 0} />{title}
                </label>
            ))}
        </fieldset>
    );
}

const labelOf = ({ name, reason }: Question): string =>
    name ?? (reason === 'must' ? t.asking.reason : t.asking.reasonMay);

function Asked({ question }: { question: Question }): ReactElement {
    const { person } = useSession();
    const [problem, setProblem] = useState<Problem | null>(null);
    const [busy, setBusy] = useState(false);
    const signed = question.kind === 'signature';
    const close = (): void => ask(null);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const reason = String(form.get('reason') ?? '').trim() || undefined;
        setBusy(true);
        setProblem(null);
        question.perform({
            reason,
            password: signed ? String(form.get('password')) : undefined,
            chosen: form.getAll('chosen').map(String),
        }).then(close, (error: unknown) => {
            setProblem(asProblem(error));
            setBusy(false);
        });
    };

    return (
        <SidePanel title={question.title} note={question.note} close={close}>
            {question.explanation ? (
                <p className="small">
                    {signed ? `${t.asking.signAs(person.displayName)} ` : ''}{question.explanation}
                </p>
            ) : null}
            {question.rows ? <Rows rows={question.rows} /> : null}
            {question.lines ? <Lines lines={question.lines} /> : null}
            <form onSubmit={submit} aria-busy={busy} data-scanned>
                {question.warnings?.map((warning) => (
                    <p className="small" key={warning}>
                        <Status glyph="attention" tone="attention">{warning}</Status>
                    </p>
                ))}
                {question.choices ? <Choices choices={question.choices} /> : null}
                {question.reason || question.name ? (
                    <p className="field">
                        <label htmlFor="reason">{labelOf(question)}</label>
                        <input id="reason" name="reason" type="text" autoComplete="off"
                            maxLength={1000} required={question.reason !== 'may'}
                            autoFocus={!signed && !question.choices}
                            aria-describedby={problem ? 'refusal' : undefined} />
                    </p>
                ) : null}
                {signed ? (
                    <p className="field">
                        <label htmlFor="sign">{t.signIn.passwordOf(person.displayName)}</label>
                        <input id="sign" name="password" type="password" autoFocus required
                            autoComplete="current-password"
                            aria-invalid={problem?.slug === 'signature_invalid'}
                            aria-describedby={problem ? 'refusal' : undefined} />
                    </p>
                ) : null}
                {problem ? <Refusal problem={problem} /> : null}
                <footer>
                    <Button kind="primary" type="submit" keys="Enter"
                        autoFocus={question.kind === 'confirm'}>
                        {question.title}
                    </Button>
                    <Button keys="Esc" onPress={close}>{t.cancel}</Button>
                </footer>
            </form>
        </SidePanel>
    );
}

export function Asking({ question }: { question: Question | null }): ReactElement | null {
    return question ? <Asked key={question.title} question={question} /> : null;
}

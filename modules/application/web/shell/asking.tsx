// SPDX-License-Identifier: Apache-2.0
//
// The two dialogs of every act: a reason, a signature. They say what will happen to how
// many of what, list it, and put the cursor where one types next.
import { useRef, useState } from 'react';
import type { FocusEvent, FormEvent, ReactElement } from 'react';

import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { SidePanel } from '../parts/dialog.tsx';
import { Status } from '../parts/status.tsx';
import { Refusal } from '../record/refusal.tsx';
import { t } from '../texts/texts.ts';
import { useClosingAsked } from '../unsaved.ts';
import { Rows, Ways, useRefusedRows } from './signed-rows.tsx';

function Lines({ lines, short }: { lines: string[]; short: boolean }): ReactElement {
    return (
        <div className={short ? 'list short' : 'list'} role="region" aria-label={t.asking.about}
            tabIndex={0}>
            <ul className="lines">{lines.map((line) => <li key={line} className="id">{line}</li>)}</ul>
        </div>
    );
}

function Choices({ choices }: { choices: NonNullable<Question['choices']> }): ReactElement {
    return choices.one ? (
        <p className="field">
            <label htmlFor="chosen">{choices.label}</label>
            <select id="chosen" name="chosen" required={choices.none === undefined}
                autoFocus={choices.none === undefined}>
                <option value="">{choices.none}</option>
                {choices.values.map(({ id, title }) => (
                    <option key={id} value={id}>{title}</option>
                ))}
            </select>
        </p>
    ) : (
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

// Whether the form has input that closing the tab would lose; a password alone does not count.
const typedIn = (form: HTMLFormElement): boolean =>
    [...form.querySelectorAll<HTMLInputElement>('#reason, #text')].some(({ value }) => value !== '');

const labelOf = ({ name, reason }: Question): string =>
    name ?? (reason === 'must' ? t.asking.reason : t.asking.reasonMay);

// Puts the cursor behind the text with which an input begins.
const toEnd = ({ target }: FocusEvent<HTMLInputElement>): void =>
    target.setSelectionRange(target.value.length, target.value.length);

// A longer text, a reason, or a name in its place.
function Words({ question, problem }: {
    question: Question; problem: Problem | null;
}): ReactElement {
    const { kind, text, reason, name, value, choices } = question;
    const signed = kind === 'signature';
    return (
        <>
            {text ? (
                <p className="field">
                    <label htmlFor="text">{text.label}</label>
                    <textarea id="text" name="text" rows={3} maxLength={4000}
                        required={text.must} autoFocus={!signed} />
                </p>
            ) : null}
            {reason || name ? (
                <p className="field">
                    <label htmlFor="reason">{labelOf(question)}</label>
                    <input id="reason" name="reason" type="text" autoComplete="off"
                        maxLength={1000} required={reason !== 'may'} defaultValue={value}
                        onFocus={value ? toEnd : undefined}
                        autoFocus={!signed && !text && (!choices || choices.none !== undefined)}
                        aria-describedby={problem ? 'refusal' : undefined} />
                </p>
            ) : null}
        </>
    );
}

function Password({ focused, problem }: {
    focused: boolean; problem: Problem | null;
}): ReactElement {
    const { person, signature } = useSession();
    return (
        <p className="field">
            <label htmlFor="sign">{t.signIn.signWith[signature.method](person.displayName)}</label>
            <input id="sign" name="password" type="password" required autoFocus={focused}
                autoComplete="current-password"
                aria-invalid={problem?.slug === 'signature_invalid'}
                aria-describedby={problem ? 'refusal' : undefined} />
        </p>
    );
}

function Asked({ question }: { question: Question }): ReactElement {
    const { person } = useSession();
    const [problem, setProblem] = useState<Problem | null>(null);
    const [busy, setBusy] = useState(false);
    const [typed, setTyped] = useState(false);
    const rows = useRefusedRows(question, problem);
    const signed = question.kind === 'signature';
    const again = useRef<HTMLFormElement>(null);
    const close = (): void => ask(null);
    const askAnew = (next: Question): void => {
        setProblem(null);
        ask(next);
    };
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        // While the page reads again after the act, a second Enter would do it twice.
        if (busy) {
            return;
        }
        const form = new FormData(event.currentTarget);
        const reason = String(form.get('reason') ?? '').trim() || undefined;
        setBusy(true);
        setProblem(null);
        question.perform({
            reason,
            password: signed ? String(form.get('password')) : undefined,
            chosen: form.getAll('chosen').map(String).filter(Boolean),
            text: String(form.get('text') ?? '').trim(),
        }).then(close, (error: unknown) => {
            setProblem(asProblem(error));
            setBusy(false);
            again.current?.querySelector<HTMLInputElement>('[type=password]')?.select();
        });
    };

    useClosingAsked(typed || busy);
    return (
        <SidePanel title={question.title} note={question.note} close={close}>
            {question.explanation ? (
                <p className="small">
                    {signed ? `${t.asking.signAs(person.displayName)} ` : ''}{question.explanation}
                </p>
            ) : null}
            {question.lines
                ? <Lines lines={question.lines} short={question.rows !== undefined} /> : null}
            {question.rows ? <Rows rows={question.rows} refused={rows} /> : null}
            <form ref={again} onSubmit={submit} aria-busy={busy}
                onInput={({ currentTarget }) => setTyped(typedIn(currentTarget))}>
                {question.warnings?.map((warning) => (
                    <p className="small" key={warning}>
                        <Status glyph="attention" tone="attention">{warning}</Status>
                    </p>
                ))}
                {question.fields}
                {question.choices ? <Choices choices={question.choices} /> : null}
                <Words question={question} problem={problem} />
                {signed ? <Password focused={!question.fields} problem={problem} /> : null}
                {problem ? <Refusal problem={problem} follow={close} id="refusal" /> : null}
                <Ways question={question} refused={rows} choose={askAnew} />
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
    return question ? <Asked key={question.subject ?? question.title} question={question} /> : null;
}

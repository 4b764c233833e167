// SPDX-License-Identifier: Apache-2.0
//
// The session has ended: what was shown is covered, what was typed is kept, and the same
// person signs in where the work is. Whoever else signs in gets a new page.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { signIn } from '../api/sign-in.ts';
import type { State } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { paths } from '../paths.ts';
import { clock } from '../texts/time.ts';
import { t } from '../texts/texts.ts';

type Ended = Extract<State, { is: 'ended' }>;

function why({ by, at, session }: Ended): string {
    const time = clock(new Date(at), session.organization.timeZone);
    const said = { time: t.signIn.endedByTime, 'sign-out': t.signIn.endedBySignOut,
        other: () => t.signIn.endedByOther };
    return said[by](time);
}

function leave(): void {
    if (window.confirm(t.signIn.discard)) {
        // Asked once is enough.
        window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(),
            { capture: true });
        location.reload();
    }
}

// Opens sign-on in a window of its own, which tells this page and closes.
function SignOn(): ReactElement {
    return (
        <Button kind="primary" autoFocus onPress={() => void window.open(paths.signOn(), 'sign-on',
            'popup,width=480,height=640')}>{t.account.signOn.go}</Button>
    );
}

export function SignInAgain({ state }: { state: Ended }): ReactElement {
    const { person, organization, signIn: way } = state.session;
    const [problem, setProblem] = useState<Problem | null>(null);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        setProblem(null);
        const password = String(new FormData(event.currentTarget).get('password'));
        signIn({ email: way.name, password, organization: organization.code })
            .catch((error: unknown) => setProblem(asProblem(error)));
    };

    return (
        <ModalOverlay isOpen isKeyboardDismissDisabled className="veil covers">
            <Modal className="cover">
                <Dialog className="inside">
                    <Heading slot="title" className="unseen">{t.signIn.again}</Heading>
                    <form className="again" aria-label={t.signIn.again} onSubmit={submit}
                        data-scanned>
                        <p><strong>{why(state)}</strong> {t.signIn.kept}</p>
                        {problem ? (
                            <p className="verdict blocked" role="alert">
                                <Glyph name="blocked" />
                                <span>
                                    {problem.status === 401 ? t.signIn.wrongPassword
                                        : t.sentence(problem)}
                                </span>
                            </p>
                        ) : null}
                        <p className="line">
                            {way.by === 'sign-on' ? <SignOn /> : (
                                <>
                                    <label htmlFor="again">
                                        {t.signIn.passwordOf(person.displayName)}
                                    </label>
                                    <input id="again" name="password" type="password" autoFocus
                                        required autoComplete="current-password" />
                                    <Button kind="primary" type="submit">{t.signIn.goOn}</Button>
                                </>
                            )}
                            <Button kind="plain" onPress={leave}>{t.signIn.somebodyElse}</Button>
                        </p>
                    </form>
                </Dialog>
            </Modal>
        </ModalOverlay>
    );
}

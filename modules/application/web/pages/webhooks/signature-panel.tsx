// SPDX-License-Identifier: Apache-2.0
//
// Whether a signature fits: what a receiver was sent, against its secret. It is computed in
// the browser; nothing of it goes anywhere.
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { Button } from '../../parts/button.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { judged } from './signature.ts';
import type { Verdict } from './signature.ts';

const words = t.webhooks.signature;

function Said({ verdict }: { verdict: Verdict }): ReactElement {
    return (
        <div className="field" role="status">
            {verdict.is === 'differs' ? (
                <>
                    <Status glyph="blocked" tone="blocked">{words.differs}</Status>
                    <code className="secret">{verdict.computed}</code>
                    <p className="caption">{words.often}</p>
                    <ul className="small">{words.reasons.map((one) => <li key={one}>{one}</li>)}</ul>
                </>
            ) : <Status glyph="ready" tone="ready">{words[verdict.is]}</Status>}
        </div>
    );
}

export function SignaturePanel({ close }: { close: () => void }): ReactElement {
    const [verdict, setVerdict] = useState<Verdict | null>(null);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string): string => String(form.get(name) ?? '');
        void judged({ secret: text('secret'), timestamp: text('timestamp'),
            signature: text('signature'), body: text('body').replaceAll('\r\n', '\n') })
            .then(setVerdict);
    };
    return (
        <SidePanel title={words.title} close={close} className="dialog form">
            <form className="filling" onSubmit={submit} data-scanned>
                <div className="fields">
                    <p className="small">{words.what}</p>
                    <p className="field">
                        <label htmlFor="secret">{words.secret}</label>
                        <input id="secret" name="secret" type="text" required autoFocus
                            autoComplete="off" spellCheck={false} />
                    </p>
                    <p className="field">
                        <label htmlFor="timestamp">X-Service-Timestamp</label>
                        <input id="timestamp" name="timestamp" type="text" required
                            className="short" autoComplete="off" inputMode="numeric" />
                    </p>
                    <p className="field">
                        <label htmlFor="signature">X-Service-Signature</label>
                        <input id="signature" name="signature" type="text" required
                            autoComplete="off" spellCheck={false} />
                    </p>
                    <p className="field">
                        <label htmlFor="body">{words.body}</label>
                        <textarea id="body" name="body" rows={6} required spellCheck={false} />
                        <span className="caption">{words.bodyWhat}</span>
                    </p>
                    {verdict ? <Said verdict={verdict} /> : null}
                </div>
                <footer className="line">
                    <Button kind="primary" type="submit">{words.act}</Button>
                    <Button keys="Esc" onPress={close}>{t.close}</Button>
                </footer>
            </form>
        </SidePanel>
    );
}

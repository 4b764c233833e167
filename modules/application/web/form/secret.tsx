// SPDX-License-Identifier: Apache-2.0
//
// Panel that shows a new key or secret, once.
import type { ReactElement } from 'react';

import { Button } from '../parts/button.tsx';
import { SidePanel } from '../parts/dialog.tsx';
import { Status } from '../parts/status.tsx';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { useUnsaved } from '../unsaved.ts';
import { reveal, useRevealed } from './revealed.ts';

function copy(text: string): void {
    navigator.clipboard.writeText(text).then(
        () => say({ tone: 'ready', text: t.form.copied }),
        () => say({ tone: 'attention', text: t.form.copyByHand }));
}

export function Secret(): ReactElement | null {
    const shown = useRevealed();
    const release = useUnsaved(shown !== null);
    if (!shown) {
        return null;
    }
    const close = (): void => {
        release();
        reveal(null);
    };
    const ask = (): void => {
        if (window.confirm(t.form.discardSecret)) {
            close();
        }
    };
    return (
        <SidePanel title={shown.title} close={ask}>
            <div className="fields">
                <p>{shown.note}</p>
                <p><Status glyph="attention" tone="attention">{t.form.onlyOnce}</Status></p>
                <code className="secret" data-secret>{shown.secret}</code>
                <p><Button autoFocus onPress={() => copy(shown.secret)}>{t.form.copy}</Button></p>
                {shown.sample ? (
                    <>
                        <h3>{t.form.sample}</h3>
                        <code className="secret">{shown.sample}</code>
                    </>
                ) : null}
            </div>
            <footer className="line">
                <Button kind="primary" onPress={close}>{t.form.stored}</Button>
            </footer>
        </SidePanel>
    );
}

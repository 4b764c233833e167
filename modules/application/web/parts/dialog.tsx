// SPDX-License-Identifier: Apache-2.0
//
// A dialog at the right edge, for signing, reasons and what cannot be undone: what it is
// about is still seen beside it.
import { useEffect } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

import { focusAfterDialog } from '../keys/focus.ts';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Glyph } from './glyph.tsx';

interface Properties {
    title: string;
    note?: ReactNode;
    close: () => void;
    className?: string;
    children: ReactNode;
}

export function SidePanel({ title, note, close, className, children }: Properties): ReactElement {
    useEffect(() => focusAfterDialog, []);
    return (
        <ModalOverlay isOpen onOpenChange={(open) => open || close()} className="veil"
            isDismissable={false}>
            <Modal className={className ?? 'dialog'}>
                <Dialog className="inside">
                    <div className="title">
                        <Heading slot="title">{title}</Heading>
                        {note ? <span className="quiet small">{note}</span> : null}
                        <Button kind="plain" className="push" label={t.close} onPress={close}>
                            <Glyph name="close" />
                        </Button>
                    </div>
                    {children}
                </Dialog>
            </Modal>
        </ModalOverlay>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// A place to drop files on, with a button to choose them: what is done with them, its
// caller says.
import { useRef, useState } from 'react';
import type { ChangeEvent, DragEventHandler, ReactElement } from 'react';

import { Button } from './button.tsx';

type Take = (files: File[]) => Promise<void>;

export interface Dropping {
    over: boolean;
    handlers: Record<'onDragEnter' | 'onDragOver' | 'onDragLeave' | 'onDrop',
        DragEventHandler<HTMLElement>>;
}

// Makes any element a place to drop files on.
export function useDrop(take: (files: FileList) => void): Dropping {
    const [over, setOver] = useState(false);
    const hover: DragEventHandler<HTMLElement> = (event) => {
        if (event.dataTransfer.types.includes('Files')) {
            event.preventDefault();
            setOver(true);
        }
    };
    return {
        over,
        handlers: {
            onDragEnter: hover,
            onDragOver: hover,
            onDragLeave: () => setOver(false),
            onDrop: (event) => {
                event.preventDefault();
                setOver(false);
                take(event.dataTransfer.files);
            },
        },
    };
}

export function ChooseFiles({ label, accept, take }: {
    label: string; accept?: string | undefined; take: (files: FileList) => void;
}): ReactElement {
    const input = useRef<HTMLInputElement>(null);
    const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
        if (target.files) {
            take(target.files);
        }
        // Cleared, so that the same file can be chosen again.
        target.value = '';
    };
    return (
        <>
            <input ref={input} type="file" multiple hidden aria-label={label} onChange={choose}
                {...(accept ? { accept } : {})} />
            <Button onPress={() => input.current?.click()}>{label}</Button>
        </>
    );
}

export function DropFiles({ label, hint, accept, take }: {
    label: string; hint: string; accept?: string; take: Take;
}): ReactElement {
    const [busy, setBusy] = useState(false);
    const given = (files: FileList): void => {
        if (files.length) {
            setBusy(true);
            void take([...files]).finally(() => setBusy(false));
        }
    };
    const { over, handlers } = useDrop(given);

    return (
        <div className={over ? 'drop over' : 'drop'} aria-busy={busy} {...handlers}>
            <ChooseFiles label={label} accept={accept} take={given} />
            <span className="quiet">{hint}</span>
        </div>
    );
}

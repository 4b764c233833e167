// SPDX-License-Identifier: Apache-2.0
//
// A place to drop files on, with a button to choose them: what is done with them, its
// caller says.
import { useRef, useState } from 'react';
import type { ChangeEvent, DragEvent, ReactElement } from 'react';

import { Button } from './button.tsx';

interface Properties {
    label: string;
    hint: string;
    accept?: string;
    take: (files: File[]) => Promise<void>;
}

export function DropFiles({ label, hint, accept, take }: Properties): ReactElement {
    const input = useRef<HTMLInputElement>(null);
    const [over, setOver] = useState(false);
    const [busy, setBusy] = useState(false);
    const given = (files: FileList | null): void => {
        if (files?.length) {
            setBusy(true);
            void take([...files]).finally(() => setBusy(false));
        }
    };
    const hover = (event: DragEvent): void => {
        event.preventDefault();
        setOver(true);
    };
    const drop = (event: DragEvent): void => {
        event.preventDefault();
        setOver(false);
        given(event.dataTransfer.files);
    };
    const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
        given(target.files);
        // The same file can be chosen again.
        target.value = '';
    };

    return (
        <div className={over ? 'drop over' : 'drop'} aria-busy={busy} onDragEnter={hover}
            onDragOver={hover} onDragLeave={() => setOver(false)} onDrop={drop}>
            <input ref={input} type="file" multiple hidden aria-label={label} onChange={choose}
                {...(accept ? { accept } : {})} />
            <Button onPress={() => input.current?.click()}>{label}</Button>
            <span className="quiet">{hint}</span>
        </div>
    );
}

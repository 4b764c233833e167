// SPDX-License-Identifier: Apache-2.0
//
// What is typed and not saved is not lost by going elsewhere: the person is asked first.
import { useEffect, useRef } from 'react';

import { guard } from '../router.tsx';
import { t } from '../texts/texts.ts';

// Returns what lets the next step pass unasked: it was saved, or given up.
export function useUnsaved(dirty: boolean): () => void {
    const held = useRef(false);

    useEffect(() => {
        held.current = dirty;
        if (!dirty) {
            return undefined;
        }
        const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
        const release = guard(() => !held.current || window.confirm(t.form.discard));
        window.addEventListener('beforeunload', warn);
        return () => {
            release();
            window.removeEventListener('beforeunload', warn);
        };
    }, [dirty]);
    return () => {
        held.current = false;
    };
}

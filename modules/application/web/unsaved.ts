// SPDX-License-Identifier: Apache-2.0
//
// Guards unsaved input: before the person leaves the page, a question is asked.
import { useEffect, useRef } from 'react';

import { guard } from './router.tsx';
import { t } from './texts/texts.ts';

// Asks before the tab is closed.
export function useClosingAsked(dirty: boolean): void {
    useEffect(() => {
        if (!dirty) {
            return undefined;
        }
        const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
        window.addEventListener('beforeunload', warn);
        return () => window.removeEventListener('beforeunload', warn);
    }, [dirty]);
}

// Asks before the tab is closed or another page shown. Returns a function that lets the next step
// pass without asking, after saving or discarding.
export function useUnsaved(dirty: boolean): () => void {
    const held = useRef(false);

    useClosingAsked(dirty);
    useEffect(() => {
        held.current = dirty;
        return dirty
            ? guard(() => !held.current || window.confirm(t.form.discard)) : undefined;
    }, [dirty]);
    return () => {
        held.current = false;
    };
}

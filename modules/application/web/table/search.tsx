// SPDX-License-Identifier: Apache-2.0
//
// Search field of a list, as the parameter q of the address: what is typed is searched for a
// moment later, or at once by Enter, which goes to the rows.
import { useEffect, useRef } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { focusAgain } from '../keys/focus.ts';
import { listen } from '../keys/keyboard.ts';
import { navigate, useAddress } from '../router.tsx';

// Milliseconds without a further letter after which the list is read.
const pause = 200;

// Longest text that the service searches for.
const most = 64;

function search(text: string): void {
    const next = new URL(location.href);
    next.searchParams.delete('cursor');
    next.searchParams.delete('q');
    if (text) {
        next.searchParams.set('q', text);
    }
    navigate(next.pathname + next.search, { replace: true });
}

export function Search({ label }: { label: string }): ReactElement {
    const asked = useAddress().searchParams.get('q') ?? '';
    const field = useRef<HTMLInputElement>(null);
    const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
    const now = (): void => {
        clearTimeout(timer.current);
        search(field.current?.value.trim() ?? '');
    };
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        now();
        field.current?.blur();
        focusAgain();
    };

    useEffect(() => listen([{ keys: 'f', run: () => field.current?.select() }]), []);
    useEffect(() => () => clearTimeout(timer.current), []);
    useEffect(() => {
        // A search by Back, or its end by clearing the filters, changes the field, too.
        if (field.current && field.current.value.trim() !== asked
            && field.current !== document.activeElement) {
            field.current.value = asked;
        }
    }, [asked]);
    return (
        <form className="line" role="search" aria-label={label} onSubmit={submit}>
            <input ref={field} type="search" aria-label={label} placeholder={label}
                defaultValue={asked} maxLength={most} autoComplete="off" spellCheck={false}
                aria-keyshortcuts="f" onChange={() => {
                    clearTimeout(timer.current);
                    timer.current = setTimeout(now, pause);
                }} />
            <kbd>f</kbd>
        </form>
    );
}

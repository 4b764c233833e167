// SPDX-License-Identifier: Apache-2.0
//
// A button says its verb, its key and, when it is refused for now, why: it keeps its focus
// and its reason is read with it.
import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Button as Pressable } from 'react-aria-components';

interface Properties {
    kind?: 'primary' | 'plain' | 'row' | 'row plain';
    keys?: string | undefined;
    refused?: string | undefined;
    label?: string;
    type?: 'button' | 'submit';
    autoFocus?: boolean;
    onPress?: () => void;
    className?: string;
    children: ReactNode;
}

export function Button(properties: Properties): ReactElement {
    const { kind, keys, refused, label, type, autoFocus, onPress, className, children } = properties;
    const why = useId();
    const classes = ['btn', kind, className].filter(Boolean).join(' ');

    if (refused !== undefined) {
        return (
            <span className="refused" title={refused}>
                <button type="button" className={classes} aria-disabled="true"
                    aria-describedby={why} aria-label={label}>
                    {children}{keys ? <kbd>{keys}</kbd> : null}
                </button>
                <span id={why} className="unseen">{refused}</span>
            </span>
        );
    }
    return (
        <Pressable type={type ?? 'button'} className={classes} autoFocus={autoFocus ?? false}
            {...(label ? { 'aria-label': label } : {})} {...(onPress ? { onPress } : {})}>
            {children}{keys ? <kbd>{keys}</kbd> : null}
        </Pressable>
    );
}

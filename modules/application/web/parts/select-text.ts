// SPDX-License-Identifier: Apache-2.0
//
// Selects the text of a field when it is entered: a correction is typed over it.
import type { FocusEvent } from 'react';

export function selectText({ target }: FocusEvent): void {
    if (target instanceof HTMLInputElement && target.type === 'text') {
        target.select();
    }
}

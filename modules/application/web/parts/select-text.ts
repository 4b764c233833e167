// SPDX-License-Identifier: Apache-2.0
//
// In a field that is entered its text is selected: what is corrected is typed anew.
import type { FocusEvent } from 'react';

export function selectText({ target }: FocusEvent): void {
    if (target instanceof HTMLInputElement && target.type === 'text') {
        target.select();
    }
}

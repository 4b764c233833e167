// SPDX-License-Identifier: Apache-2.0
//
// Progress bar of a period that is being used up; the words beside it say the same.
import type { ReactElement } from 'react';

// `part`: the share that is used up, 1 for all of it; more is over.
export function Used({ part }: { part: number }): ReactElement {
    return (
        <svg className={part > 1 ? 'used over' : 'used'} viewBox="0 0 100 4"
            preserveAspectRatio="none" aria-hidden="true">
            <rect width={Math.min(100, Math.round(100 * part))} height="4" />
        </svg>
    );
}

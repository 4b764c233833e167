// SPDX-License-Identifier: Apache-2.0
//
// Row of toggles that choose which records a list shows, as one parameter of the address.
import type { ReactElement, ReactNode } from 'react';

import { navigate, useAddress } from '../router.tsx';

export interface Shown {
    // Value in the address; '' is the default.
    value: string;
    title: string;
}

// Returns the choice that the address states.
export function useShown(member: string): { shown: string; page: { cursor?: number } } {
    const { searchParams } = useAddress();
    const cursor = searchParams.get('cursor');
    return { shown: searchParams.get(member) ?? '', page: cursor ? { cursor: Number(cursor) } : {} };
}

// `children`: further content of the same line.
export function Choose({ member, label, values, children }: {
    member: string; label: string; values: Shown[]; children?: ReactNode;
}): ReactElement {
    const { pathname, searchParams } = useAddress();
    const now = searchParams.get(member) ?? '';
    const show = (value: string): void => {
        const search = new URLSearchParams(searchParams);
        search.delete('cursor');
        search.delete(member);
        if (value) {
            search.set(member, value);
        }
        navigate(search.size ? `${pathname}?${search}` : pathname);
    };
    return (
        <div className="filters">
            <div className="states" role="group" aria-label={label}>
                {values.map(({ value, title }) => (
                    <button key={value} type="button" aria-pressed={now === value}
                        onClick={() => show(value)}>
                        {title}
                    </button>
                ))}
            </div>
            {children}
        </div>
    );
}

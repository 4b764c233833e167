// SPDX-License-Identifier: Apache-2.0
//
// State of a page that outlasts it: what was ticked or typed is found again by whoever comes back
// to the page. It stays in memory, until its person signs out.
import { useEffect, useState } from 'react';
import type { Dispatch, SetStateAction } from 'react';

import { turnOf } from './api/session.ts';

const all = new WeakMap<AbortSignal, Map<string, unknown>>();

// Returns the kept states of the person whose page this is.
function ofTurn(): Map<string, unknown> {
    const found = all.get(turnOf()) ?? new Map<string, unknown>();
    all.set(turnOf(), found);
    return found;
}

// `name`: the state that is kept, such as that of a page or of a record's form.
export function useKept<T>(name: string, first: T): [T, Dispatch<SetStateAction<T>>] {
    const [value, setValue] = useState(() => (ofTurn().get(name) ?? first) as T);

    useEffect(() => void ofTurn().set(name, value), [name, value]);
    return [value, setValue];
}

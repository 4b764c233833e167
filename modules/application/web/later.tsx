// SPDX-License-Identifier: Apache-2.0
//
// Pages that are loaded when they are first opened: whoever opens the list of samples does
// not wait for the control charts. React's own way (lazy, Suspense) would hold a page back
// until 300 ms after it began to wait, however soon it is there.
import { useEffect, useState } from 'react';
import type { ComponentType, ReactElement } from 'react';

import { Waiting } from './parts/states.tsx';
import { t } from './texts/texts.ts';

// Error: a file of the application could not be loaded; the network is down, or a newer version has
// replaced it.
export class PartMissing extends Error {}

type Page<P extends object> = ComponentType<P>;

const loaders = new WeakMap<object, () => Promise<void>>();

export function later<P extends object>(load: () => Promise<Page<P>>): Page<P> {
    let loaded: Page<P> | undefined;
    const begin = async (): Promise<void> => {
        loaded ??= await load();
    };

    function Later(properties: P): ReactElement {
        const [problem, setProblem] = useState<PartMissing | null>(null);
        const [, setIsThere] = useState(loaded !== undefined);
        const Loaded = loaded;

        useEffect(() => {
            begin().then(() => setIsThere(true),
                (error: unknown) => setProblem(new PartMissing(String(error))));
        }, []);
        if (problem) {
            throw problem;
        }
        return Loaded ? <Loaded {...properties} /> : <Waiting what={t.thisPage} />;
    }
    loaders.set(Later, begin);
    return Later;
}

// Loads the page of an element before it is shown. What fails is asked for again when it is.
export function prepare({ type }: ReactElement): void {
    if (typeof type === 'function') {
        loaders.get(type)?.().catch(() => undefined);
    }
}

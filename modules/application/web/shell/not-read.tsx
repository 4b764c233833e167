// SPDX-License-Identifier: Apache-2.0
//
// Says that something on the page could not be read again, and why: what is shown is as it was
// read last. That the service cannot be reached, or the session ended, is said elsewhere.
import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';

import { Problem } from '../api/problem.ts';
import { queries } from '../api/read.ts';
import { Glyph } from '../parts/glyph.tsx';
import { t } from '../texts/texts.ts';

const isOwn = (error: unknown): error is Problem => error instanceof Problem && !error.offline
    && error.status !== 503 && error.status !== 401;

const cache = queries.getQueryCache();

function notReadAgain(): Problem | undefined {
    const failed = cache.findAll({ type: 'active' }).find(({ state }) =>
        state.data !== undefined && isOwn(state.error));
    return failed ? failed.state.error as Problem : undefined;
}

const watch = (watcher: () => void): () => void => cache.subscribe(watcher);

export function NotRead(): ReactElement {
    const problem = useSyncExternalStore(watch, notReadAgain);
    return (
        <div className="connection" role="status">
            {problem ? (
                <p className="banner late">
                    <Glyph name="attention" tone="attention" />
                    <span>{t.notReadAgain} {t.sentence(problem)}</span>
                </p>
            ) : null}
        </div>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Toast: the outcome of an act, shown once at the foot of the page; the newest replaces the one
// before.
import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';

import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Glyph } from './glyph.tsx';
import type { GlyphName, Tone } from './glyph.tsx';

export interface Said {
    tone: Extract<Tone, GlyphName>;
    text: string;
    slug?: string;
    details?: string[];
}

let said: Said | null = null;
const watchers = new Set<() => void>();

export function say(next: Said | null): void {
    said = next;
    watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

export function Toast(): ReactElement {
    const now = useSyncExternalStore(watch, () => said);
    return (
        <div className="said" role={now?.tone === 'blocked' ? 'alert' : 'status'}>
            {now ? (
                <div className="banner">
                    <Glyph name={now.tone} tone={now.tone} />
                    <div>
                        <span>{now.text}</span>{' '}
                        {now.slug ? <span className="id quiet">{now.slug}</span> : null}
                        {now.details?.length ? (
                            <ul>{now.details.map((line) => <li key={line}>{line}</li>)}</ul>
                        ) : null}
                    </div>
                    <Button kind="row plain" className="push" label={t.close}
                        onPress={() => say(null)}>
                        <Glyph name="close" />
                    </Button>
                </div>
            ) : null}
        </div>
    );
}

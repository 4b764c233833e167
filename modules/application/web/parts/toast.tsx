// SPDX-License-Identifier: Apache-2.0
//
// Toast: the outcome of an act, shown once at the foot of the page to the person whose act it was;
// the newest replaces the one before.
import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';

import { ownerOf } from '../api/session.ts';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
import { Glyph } from './glyph.tsx';
import type { GlyphName, Tone } from './glyph.tsx';

// Where what was refused is cleared.
export interface Lead {
    href: string;
    title: string;
}

export interface Detail {
    text: string;
    leads: Lead[];
}

export interface Said {
    tone: Extract<Tone, GlyphName>;
    text: string;
    leads?: Lead[];
    slug?: string;
    details?: (string | Detail)[];
}

let said: Said | null = null;
let owner = '';
const watchers = new Set<() => void>();

export function say(next: Said | null): void {
    said = next;
    owner = ownerOf();
    watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
}

type Link = (lead: Lead) => ReactElement;

function Leads({ leads = [], link }: { leads?: Lead[] | undefined; link: Link }): ReactElement {
    return <>{leads.map((lead) => <span key={lead.href}> {link(lead)}</span>)}</>;
}

// `link`: makes a lead a link of the application.
export function Toast({ link }: { link: Link }): ReactElement {
    const now = useSyncExternalStore(watch, () => owner === ownerOf() ? said : null);
    const details = (now?.details ?? []).map((one) =>
        typeof one === 'string' ? { text: one, leads: [] } : one);
    return (
        <div className="said" role={now?.tone === 'blocked' ? 'alert' : 'status'}>
            {now ? (
                <div className="banner">
                    <Glyph name={now.tone} tone={now.tone} />
                    <div>
                        <span>{now.text}</span><Leads leads={now.leads} link={link} />{' '}
                        {now.slug ? <Code of={now.slug} /> : null}
                        {details.length ? (
                            <ul>{details.map(({ text, leads }) => (
                                <li key={text}>{text}<Leads leads={leads} link={link} /></li>
                            ))}</ul>
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

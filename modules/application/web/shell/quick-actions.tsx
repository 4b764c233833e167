// SPDX-License-Identifier: Apache-2.0
//
// Mod-K: every action of the page and every place, found by typing.
import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';

import { useOffered } from '../acting/action.ts';
import type { Ready } from '../acting/action.ts';
import { SidePanel } from '../parts/dialog.tsx';
import { t } from '../texts/texts.ts';

const fits = (title: string, words: string): boolean =>
    words.toLowerCase().split(/\s+/).every((word) => title.toLowerCase().includes(word));

interface Properties {
    places: Ready[];
    close: () => void;
}

export function QuickActions({ places, close }: Properties): ReactElement {
    const offered = useOffered();
    const [words, setWords] = useState('');
    const [cursor, setCursor] = useState(0);
    const found = [...offered, ...places].filter(({ title }) => fits(title, words));
    const at = Math.min(cursor, found.length - 1);
    const run = (action: Ready | undefined): void => {
        if (action) {
            close();
            action.run();
        }
    };
    const press = (event: KeyboardEvent): void => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            event.preventDefault();
            setCursor(Math.max(0, Math.min(found.length - 1, at + step)));
        } else if (event.key === 'Enter') {
            event.preventDefault();
            run(found[at]);
        }
    };

    return (
        <SidePanel title={t.keys.quick} close={close}>
            <form onSubmit={(event) => event.preventDefault()}>
                <input type="text" autoFocus autoComplete="off" aria-label={t.keys.quickLabel}
                    role="combobox" aria-expanded="true" aria-controls="quick"
                    aria-activedescendant={found[at] ? `quick-${at}` : undefined}
                    placeholder={t.keys.quickLabel} value={words} onKeyDown={press}
                    onChange={({ target }) => {
                        setWords(target.value);
                        setCursor(0);
                    }} />
            </form>
            <ul className="list quick" role="listbox" id="quick" aria-label={t.keys.quick}>
                {found.map((action, i) => (
                    <li key={action.id} id={`quick-${i}`} role="option" aria-selected={i === at}
                        onClick={() => run(action)}>
                        <span>{action.title}</span>
                        {action.refused ? <span className="caption">{action.refused}</span> : null}
                        {action.keys ? <kbd>{action.keys}</kbd> : null}
                    </li>
                ))}
            </ul>
            {found.length ? null : <p className="quiet">{t.keys.quickNone}</p>}
        </SidePanel>
    );
}

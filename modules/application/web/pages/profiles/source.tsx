// SPDX-License-Identifier: Apache-2.0
//
// The definition of a profile as text, and beside it what the manual says about the place of the
// cursor: of its member, and of the object around it.
import manual from '#profile-members';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';

import { helpAt, sectionsOf } from '../../nouns/profile-members.ts';
import type { Help } from '../../nouns/profile-members.ts';
import { spotAt } from '../../nouns/profile-text.ts';
import { Words } from '../../prose/prose.tsx';
import { t } from '../../texts/texts.ts';

const words = t.profiles;

export const sections = sectionsOf(manual);

function Members({ help }: { help: Help }): ReactElement {
    const list = useRef<HTMLUListElement>(null);

    useEffect(() => {
        list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    }, [help.section, help.member]);
    return (
        <ul className="members-of" ref={list}>
            {help.section.members.map(({ name, text }) => (
                <li key={name} {...(name === help.member
                    ? { 'aria-current': 'true', id: 'member' } : {})}>
                    <Words text={text} />
                </li>
            ))}
        </ul>
    );
}

function About({ help, choose }: {
    help: Help; choose: (title: string) => void;
}): ReactElement {
    return (
        <aside className="peek" aria-labelledby="members">
            <h2 id="members">{words.help}</h2>
            <p className="field">
                <label htmlFor="section">{words.helpOf}</label>
                <select id="section" value={help.section.title} aria-describedby="section-what"
                    onChange={({ target }) => choose(target.value)}>
                    {sections.map(({ title }) => <option key={title} value={title}>{title}</option>)}
                </select>
                <span id="section-what" className="caption">{words.helpAt}</span>
            </p>
            {help.section.about.map((text) => <p key={text} className="small"><Words text={text} /></p>)}
            <Members help={help} />
        </aside>
    );
}

// The help for the cursor's place, until another section is chosen.
function useHelp(text: string): { help: Help | undefined; move: (cursor: number) => void;
    choose: (title: string) => void } {
    const [cursor, setCursor] = useState(0);
    const [chosen, setChosen] = useState('');
    const spot = useMemo(() => spotAt(text, cursor), [text, cursor]);
    const section = sections.find(({ title }) => title === chosen);
    return {
        help: section ? { section, member: '' }
            : helpAt(sections, spot?.path ?? '', spot?.open ?? true),
        move: useCallback((next) => {
            setCursor(next);
            setChosen('');
        }, []),
        choose: setChosen,
    };
}

interface Properties {
    text: string;
    // Called with what is typed; absent: the text is only read.
    change?: (text: string) => void;
    field?: RefObject<HTMLTextAreaElement | null>;
    wrong?: boolean;
    placeholder?: string;
    // Content above the text, such as a refusal.
    children?: ReactNode;
}

export function Source({ text, change, field, wrong, placeholder, children }: Properties): ReactElement {
    const { help, move, choose } = useHelp(text);
    const own = useRef<HTMLTextAreaElement>(null);
    const area = field ?? own;

    // However the cursor is moved: by keys, by the pointer, or to what was refused.
    useEffect(() => {
        const look = (): void => {
            if (area.current && document.activeElement === area.current) {
                move(area.current.selectionStart);
            }
        };
        document.addEventListener('selectionchange', look);
        return () => document.removeEventListener('selectionchange', look);
    }, [area, move]);
    return (
        <div className="body">
            <div className="pane">
                {children}
                <textarea className="source id" aria-label={words.definition} spellCheck={false}
                    wrap="off" value={text} readOnly={change === undefined} ref={area}
                    autoFocus={change !== undefined}
                    placeholder={placeholder} aria-invalid={wrong ? true : undefined}
                    aria-describedby={wrong ? 'refusal' : help?.member ? 'member' : undefined}
                    onChange={({ target }) => change?.(target.value)} />
            </div>
            {help ? <About help={help} choose={choose} /> : null}
        </div>
    );
}

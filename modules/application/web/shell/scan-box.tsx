// SPDX-License-Identifier: Apache-2.0
//
// The scan box: what is written on a label, or read from one, opens its record.
import { useEffect, useRef, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { tell } from '../acting/action.ts';
import { takeScans } from '../acting/scans.ts';
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { listen } from '../keys/keyboard.ts';
import { Glyph } from '../parts/glyph.tsx';
import { say } from '../parts/toast.tsx';
import { pageOf } from '../places.ts';
import { Link, navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

type Found = Read<'/lookup'>['data'][number];

const nouns: Record<string, string> = t.scan.nouns;

const addressOf = ({ noun, id }: Found): string | undefined => pageOf(noun, id);

function choose(found: Found[], mistyped: boolean, text: string): Found[] {
    const [only] = found;
    if (!only) {
        say({ tone: 'attention', text: mistyped ? t.scan.mistyped(text) : t.scan.none(text) });
        return [];
    }
    say(null);
    if (found.length > 1) {
        return found;
    }
    const address = addressOf(only);
    if (address) {
        navigate(address);
    } else {
        say({ tone: 'attention', text: t.scan.noPage(only.name) });
    }
    return [];
}

// One of several records of the same name; some have no page.
function Hit({ found, follow }: { found: Found; follow: () => void }): ReactElement {
    const address = addressOf(found);
    const { name, noun } = found;
    const named = (
        <>
            <span className="id">{name}</span>{' '}
            <span className="quiet">{nouns[noun] ?? noun}</span>
        </>
    );
    return address ? <Link href={address} onClick={follow}>{named}</Link>
        : <span className="hit">{named}{' '}<span className="quiet">{t.scan.pageless}</span></span>;
}

export function ScanBox(): ReactElement {
    const box = useRef<HTMLInputElement>(null);
    const [several, setSeveral] = useState<Found[]>([]);

    const look = (text: string): void => {
        if (text.trim() === '') {
            return;
        }
        answer(api.GET('/lookup', { params: { query: { text: text.trim() } } }))
            .then(({ data, mistyped }) => {
                setSeveral(choose(data, mistyped, text.trim()));
                if (box.current) {
                    box.current.value = '';
                    // The page that is opened receives the keys from here on.
                    if (data.length === 1) {
                        box.current.blur();
                    }
                }
            })
            .catch(tell);
    };
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        look(box.current?.value ?? '');
    };

    // A scan may come wherever the focus is.
    useEffect(() => {
        const leave = takeScans(look);
        const silence = listen([{ keys: '/', run: () => box.current?.select() }]);
        return () => {
            leave();
            silence();
        };
    }, []);
    return (
        <form role="search" className="scan" onSubmit={submit} data-scanned>
            <Glyph name="scan" />
            <input ref={box} type="text" aria-label={t.scan.label} placeholder={t.scan.label}
                autoComplete="off" spellCheck={false} aria-keyshortcuts="/" name="scan" />
            <kbd>/</kbd>
            {several.length ? (
                <ul className="found" aria-label={t.scan.several(several.length)}>
                    {several.map((found) => (
                        <li key={`${found.noun} ${found.id}`}>
                            <Hit found={found} follow={() => setSeveral([])} />
                        </li>
                    ))}
                </ul>
            ) : null}
        </form>
    );
}

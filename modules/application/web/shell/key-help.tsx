// SPDX-License-Identifier: Apache-2.0
//
// Help for a screen: its purpose, and its keys, made of its actions.
import type { ReactElement } from 'react';

import { useOffered } from '../acting/action.ts';
import { base } from '../api/send.ts';
import { isTaken } from '../keys/keyboard.ts';
import { SidePanel } from '../parts/dialog.tsx';
import { paths } from '../paths.ts';
import { Link, useAddress } from '../router.tsx';
import { t } from '../texts/texts.ts';

const always: [string, string][] = [
    ['/', t.keys.scan], ['Mod+v', t.keys.paste], ['? F1', t.keys.help], ['Mod+k', t.keys.quick],
    ['Esc', t.keys.escape],
];

// Keys of lists and queues, by the one by which a page is asked whether it has them.
const ofLists: [string, string, string][] = [
    ['j', 'j ↓', t.keys.down], ['k', 'k ↑', t.keys.up], ['Enter', 'Enter', t.keys.open],
    ['Space', 'Space', t.keys.peek], ['Shift+Space', 'x Shift+Space', t.keys.select],
    ['Shift+ArrowDown', 'Shift+↓', t.keys.range], ['Mod+a', 'Mod+a', t.keys.all],
];

function Screen({ close }: { close: () => void }): ReactElement {
    const [, screen = ''] = useAddress().pathname.slice(base.length).split('/');

    return (
        <div>
            <p>{t.guide.screens[`/${screen}`]}</p>
            <p><Link href={paths.guide()} onClick={close}>{t.guide.more}</Link></p>
        </div>
    );
}

export function KeyHelp({ close }: { close: () => void }): ReactElement {
    const own = useOffered().flatMap(({ keys, title }): [string, string][] =>
        keys === undefined ? [] : [[keys, title]]);
    const taken = ofLists.flatMap(([key, keys, title]): [string, string][] =>
        isTaken(key) ? [[keys, title]] : []);

    return (
        <SidePanel title={t.keys.title} close={close}>
            <Screen close={close} />
            <div className="list" role="region" aria-label={t.keys.title} tabIndex={0}>
                <table className="table">
                    <tbody>
                        {[...own, ...taken, ...always].map(([keys, title]) => (
                            <tr key={keys + title}>
                                <th scope="row" className="w-name"><kbd>{keys}</kbd></th>
                                <td>{title}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </SidePanel>
    );
}

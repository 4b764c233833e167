// SPDX-License-Identifier: Apache-2.0
//
// Help for a screen: its purpose, and its keys, made of its actions.
import type { ReactElement } from 'react';

import { useOffered } from '../acting/action.ts';
import { base } from '../api/send.ts';
import { SidePanel } from '../parts/dialog.tsx';
import { paths } from '../paths.ts';
import { Link, useAddress } from '../router.tsx';
import { t } from '../texts/texts.ts';

const always: [string, string][] = [
    ['/', t.keys.scan], ['Mod+v', t.keys.paste], ['? F1', t.keys.help], ['Mod+k', t.keys.quick],
    ['j ↓', t.keys.down], ['k ↑', t.keys.up], ['Enter', t.keys.open], ['Space', t.keys.peek],
    ['x Shift+Space', t.keys.select], ['Shift+↓', t.keys.range], ['Mod+a', t.keys.all],
    ['Esc', t.keys.escape],
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

    return (
        <SidePanel title={t.keys.title} close={close}>
            <Screen close={close} />
            <div className="list" role="region" aria-label={t.keys.title} tabIndex={0}>
                <table className="table">
                    <tbody>
                        {[...own, ...always].map(([keys, title]) => (
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

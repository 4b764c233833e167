// SPDX-License-Identifier: Apache-2.0
//
// The keys of the page that is shown, made of its actions.
import type { ReactElement } from 'react';

import { useOffered } from '../actions/action.ts';
import { SidePanel } from '../parts/dialog.tsx';
import { t } from '../texts/texts.ts';

const always: [string, string][] = [
    ['/', t.keys.scan], ['?', t.keys.help], ['Mod+k', t.keys.quick], ['j ↓', t.keys.down],
    ['k ↑', t.keys.up], ['Enter', t.keys.open], ['Space', t.keys.peek], ['x', t.keys.select],
    ['Shift+↓', t.keys.range], ['Esc', t.keys.escape],
];

export function KeyHelp({ close }: { close: () => void }): ReactElement {
    const own = useOffered().flatMap(({ keys, title }): [string, string][] =>
        keys === undefined ? [] : [[keys, title]]);

    return (
        <SidePanel title={t.keys.title} close={close}>
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

// SPDX-License-Identifier: Apache-2.0
//
// The worklist: what is open, by method, with what ends first at the top. Enter opens the
// method's bench.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { changed, useAll } from '../../api/read.ts';
import { listen } from '../../keys/keyboard.ts';
import { Nothing } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { type Group, groupsOf } from './groups.ts';
import { Left } from './left.tsx';
import { Views } from './views.tsx';

const { worklist: texts } = t.bench;
const { heads } = texts;

function open({ method }: Group): void {
    if (method !== '') {
        navigate(paths.bench('method', method));
    }
}

// The row of the cursor, which j, k and the arrows move.
function useCursor(groups: Group[]): number {
    const [at, setAt] = useState(0);

    useEffect(() => {
        const go = (step: number) => () =>
            setAt((now) => Math.max(0, Math.min(now + step, groups.length - 1)));
        const here = (): void => groups[at] && open(groups[at]);
        return listen([
            { keys: 'j', run: go(1) }, { keys: 'ArrowDown', run: go(1) },
            { keys: 'k', run: go(-1) }, { keys: 'ArrowUp', run: go(-1) },
            { keys: 'Enter', run: here },
        ]);
    }, [groups, at]);
    return at;
}

function Line({ group, cursor }: { group: Group; cursor: boolean }): ReactElement {
    const { method, open: tests, first, urgent, analytes } = group;
    return (
        <tr className={cursor ? 'cursor' : undefined} onDoubleClick={() => open(group)}>
            <th scope="row">
                {method === '' ? texts.noMethod
                    : <Link href={paths.bench('method', method)}>{method}</Link>}
            </th>
            <td className="right">{tests}</td>
            <td><Left test={first} /></td>
            <td className="right">{urgent === 0 ? null : <strong>{urgent}</strong>}</td>
            <td title={analytes.join(', ')}>{analytes.join(', ')}</td>
        </tr>
    );
}

function Groups({ groups }: { groups: Group[] }): ReactElement {
    const cursor = useCursor(groups);
    return (
        <table className="table" aria-label={texts.label}>
            <thead>
                <tr>
                    <th scope="col">{heads.method}</th>
                    <th scope="col" className="w-code right">{heads.open}</th>
                    <th scope="col" className="w-ident">{heads.left}</th>
                    <th scope="col" className="w-code right">{heads.urgent}</th>
                    <th scope="col">{heads.analytes}</th>
                </tr>
            </thead>
            <tbody>
                {groups.map((group, i) => (
                    <Line key={group.method} group={group} cursor={i === cursor} />
                ))}
            </tbody>
        </table>
    );
}

export function WorklistPage(): ReactElement {
    const tests = useAll('/worklist', (page) =>
        ({ rows: page.data, next: page.hasMore ? page.nextCursor : undefined }));
    const groups = useMemo(() => groupsOf(tests), [tests]);

    // It is read anew whenever somebody comes back to it, as from a bench.
    useEffect(() => void changed('/worklist'), []);

    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                <span className="quiet">{texts.count(tests.length)}</span>
            </div>
            <Views at="methods" />
            <div className="body">
                <div className="pane">
                    {groups.length === 0
                        ? <Nothing title={texts.empty} /> : <Groups groups={groups} />}
                </div>
            </div>
        </main>
    );
}

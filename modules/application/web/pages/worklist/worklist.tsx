// SPDX-License-Identifier: Apache-2.0
//
// The worklist: what is open, by method, with what ends first at the top. Enter opens the
// method's bench.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import type { OpenTest } from '../../actions/worklist.ts';
import { listen } from '../../keys/keyboard.ts';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { type Group, groupsOf } from './groups.ts';
import { Left } from './left.tsx';
import { NoneOpen, useOpenTests } from './open-tests.tsx';
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

const none: OpenTest[] = [];

export function WorklistPage(): ReactElement {
    const found = useOpenTests();
    const tests = found.data ?? none;
    const groups = useMemo(() => groupsOf(tests), [tests]);

    useTitle(texts.title);
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                {found.data ? <span className="quiet">{texts.count(tests.length)}</span> : null}
            </div>
            <Views at="methods" />
            <div className="body">
                <div className="pane">
                    {groups.length === 0
                        ? <NoneOpen found={found} /> : <Groups groups={groups} />}
                </div>
            </div>
        </main>
    );
}

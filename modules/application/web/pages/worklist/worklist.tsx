// SPDX-License-Identifier: Apache-2.0
//
// The worklist: what is open, by method, instrument or day due, with what ends first at the
// top. Enter opens a method's bench.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import type { OpenTest } from '../../actions/worklist.ts';
import { listen } from '../../keys/keyboard.ts';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { type By, type Group, groupings, groupsOf } from './groups.ts';
import { useGroupName } from './group-names.ts';
import { Left } from './left.tsx';
import { NoneOpen, useOpenTests } from './open-tests.tsx';
import { Views } from './views.tsx';

const { worklist: texts } = t.bench;
const { heads } = texts;

// A method has a bench; of other groups the tests are shown.
const hrefOf = (by: By, key: string): string => by === 'method' ? paths.bench('method', key)
    : paths.worklistTests(`?${by}=${encodeURIComponent(key)}`);

function open(by: By, { key }: Group): void {
    if (key !== '') {
        navigate(hrefOf(by, key));
    }
}

// The row of the cursor, which j, k and the arrows move.
function useCursor(by: By, groups: Group[]): number {
    const [at, setAt] = useState(0);

    useEffect(() => {
        const go = (step: number) => () =>
            setAt((now) => Math.max(0, Math.min(now + step, groups.length - 1)));
        const here = (): void => groups[at] && open(by, groups[at]);
        return listen([
            { keys: 'j', run: go(1) }, { keys: 'ArrowDown', run: go(1) },
            { keys: 'k', run: go(-1) }, { keys: 'ArrowUp', run: go(-1) },
            { keys: 'Enter', run: here },
        ]);
    }, [by, groups, at]);
    return at;
}

function Line({ by, group, name, cursor }: {
    by: By; group: Group; name: string; cursor: boolean;
}): ReactElement {
    const { key, open: tests, first, urgent, analytes } = group;
    return (
        <tr className={cursor ? 'cursor' : undefined} onDoubleClick={() => open(by, group)}>
            <th scope="row">
                {key === '' ? texts.without[by] : <Link href={hrefOf(by, key)}>{name}</Link>}
            </th>
            <td className="right">{tests}</td>
            <td><Left test={first} /></td>
            <td className="right">{urgent === 0 ? null : <strong>{urgent}</strong>}</td>
            <td title={analytes.join(', ')}>{analytes.join(', ')}</td>
        </tr>
    );
}

function Groups({ by, groups }: { by: By; groups: Group[] }): ReactElement {
    const cursor = useCursor(by, groups);
    const nameOf = useGroupName();
    return (
        <table className="table" aria-label={texts.label}>
            <thead>
                <tr>
                    <th scope="col">{texts.group[by]}</th>
                    <th scope="col" className="w-code right">{heads.open}</th>
                    <th scope="col" className="w-ident">{heads.left}</th>
                    <th scope="col" className="w-code right">{heads.urgent}</th>
                    <th scope="col">{heads.analytes}</th>
                </tr>
            </thead>
            <tbody>
                {groups.map((group, i) => (
                    <Line key={group.key} by={by} group={group} name={nameOf(by, group.key)}
                        cursor={i === cursor} />
                ))}
            </tbody>
        </table>
    );
}

const none: OpenTest[] = [];

export function WorklistPage(): ReactElement {
    const { searchParams } = useAddress();
    const by = groupings.find((one) => one === searchParams.get('by')) ?? 'method';
    const found = useOpenTests();
    const tests = found.data ?? none;
    const groups = useMemo(() => groupsOf(tests, by), [tests, by]);

    useTitle(texts.tabTitle(tests.length));
    return (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head">
                <h1>{texts.title}</h1>
                {found.data ? <span className="quiet">{texts.count(tests.length)}</span> : null}
            </div>
            <Views at={by} />
            <div className="body">
                <div className="pane">
                    {groups.length === 0
                        ? <NoneOpen found={found} /> : <Groups key={by} by={by} groups={groups} />}
                </div>
            </div>
        </main>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Roles and permissions: who can do what, and what roles may do, changed together.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { changePermissions } from '../../actions/permissions.ts';
import { useRead } from '../../api/read.ts';
import { changesIn, groups, has, roleNames, toggled } from '../../nouns/permission-matrix.ts';
import type { Draft, Matrix } from '../../nouns/permission-matrix.ts';
import { Button } from '../../parts/button.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { t } from '../../texts/texts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { Lacks } from './lacks.tsx';
import { PeopleTabs } from './tabs.tsx';
import { Who } from './who.tsx';

const words = t.users.permissions;
const permissionWords: Record<string, string> = words.words;

function Row({ permission, matrix, draft, toggle }: {
    permission: string; matrix: Matrix; draft: Draft; toggle: (role: string) => void;
}): ReactElement {
    const what = permissionWords[permission] ?? permission;
    return (
        <tr>
            <th scope="row" className="w-ident stay" title={permission}>{what}</th>
            {matrix.roles.map(({ role }) => {
                const now = has(matrix, draft, role, permission);
                const differs = now !== has(matrix, {}, role, permission);
                return (
                    <td key={role} className={differs ? 'differs' : undefined}>
                        <input type="checkbox" checked={now} onChange={() => toggle(role)}
                            aria-label={words.mayNot(t.reference.roles[role], what)} />
                        {differs ? <span aria-hidden="true">•</span> : null}
                    </td>
                );
            })}
        </tr>
    );
}

function Table({ matrix, draft, set }: {
    matrix: Matrix; draft: Draft; set: (draft: Draft) => void;
}): ReactElement {
    return (
        <table className="table matrix" aria-label={words.matrix}>
            <thead>
                <tr>
                    <th scope="col" className="w-ident stay">{words.permission}</th>
                    {matrix.roles.map(({ role }) => (
                        <th key={role} scope="col" title={t.reference.roles[role]}>
                            {words.short[role]}
                        </th>
                    ))}
                </tr>
            </thead>
            {Object.entries(groups).map(([group, permissions]) => (
                <tbody key={group}>
                    <tr className="group">
                        <th scope="rowgroup" colSpan={matrix.roles.length + 1}>
                            {words.groups[group as keyof typeof groups]}
                        </th>
                    </tr>
                    {permissions.map((permission) => (
                        <Row key={permission} permission={permission} matrix={matrix} draft={draft}
                            toggle={(role) => set(toggled(matrix, draft, role, permission))} />
                    ))}
                </tbody>
            ))}
        </table>
    );
}

export function Permissions(): ReactElement {
    const found = useRead('/permissions', {});
    const [draft, setDraft] = useState<Draft>({});
    const impact = useRead('/policies/impact', { params: { query: {} } }, { live: 60 });
    const matrix = found.data;
    const changes = matrix ? changesIn(matrix, draft) : [];
    const release = useUnsaved(changes.length > 0);
    const save = (): void => {
        if (matrix) {
            changePermissions(matrix, changes, () => {
                release();
                setDraft({});
            });
        }
    };

    useTitle(words.title);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{t.users.title}</h1>
                <span className="push" />
                {changes.length ? (
                    <>
                        <Button onPress={() => setDraft({})}>{words.undo}</Button>
                        <Button kind="primary" onPress={save}>{words.change(changes.length)}</Button>
                    </>
                ) : null}
            </div>
            <PeopleTabs shown="permissions" />
            <div className="body turning">
                <div className="pane" tabIndex={0} role="region" aria-label={words.matrix}>
                    {matrix ? <Table matrix={matrix} draft={draft} set={setDraft} /> : null}
                    {!matrix && found.error ? <Refused problem={found.error} /> : null}
                    {!matrix && !found.error ? <Waiting what={words.title} /> : null}
                </div>
                <aside className="beside" aria-labelledby="who">
                    {matrix ? <Who matrix={matrix} draft={draft} /> : null}
                    {impact.data ? <Lacks impact={impact.data} /> : null}
                </aside>
            </div>
            <div className="statusline" role="status">
                {changes.flatMap(({ role, gets, loses }) => [
                    ...gets.map((one) => words.gets(roleNames[role], permissionWords[one] ?? one)),
                    ...loses.map((one) => words.loses(roleNames[role], permissionWords[one] ?? one)),
                ]).join('; ')}
            </div>
        </main>
    );
}

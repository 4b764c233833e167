// SPDX-License-Identifier: Apache-2.0
//
// People who may do something: the roles that have the permission, and the people with one of those
// roles.
import type { ReactElement } from 'react';

import type { User } from '../../actions/users.ts';
import { rowsOf } from '../../api/names.ts';
import { useWhole } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { has, roleNames } from '../../nouns/permission-matrix.ts';
import type { Draft, Matrix } from '../../nouns/permission-matrix.ts';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const words = t.users.permissions;
const inUse = { query: { active: true } };

function People({ roles }: { roles: string[] }): ReactElement {
    const found = useWhole('/users', rowsOf<User>, inUse);
    const people = (found.data ?? []).filter((user) =>
        user.roles.some((role) => roles.includes(role)));
    return (
        <>
            <dt>{words.people}</dt>
            <dd>
                {people.map(({ id, displayName }, i) => (
                    <span key={id}>
                        {i ? ', ' : ''}<Link href={paths.users(id)}>{displayName}</Link>
                    </span>
                ))}
                {found.data && people.length === 0 ? <strong>{words.nobody}</strong> : null}
            </dd>
        </>
    );
}

// Shows the matrix as it is typed now, so that an effect is seen before it is saved.
export function Who({ matrix, draft }: { matrix: Matrix; draft: Draft }): ReactElement {
    const permission = useAddress().searchParams.get('permission') ?? 'qc.override';
    const roles = matrix.roles.filter(({ role }) => has(matrix, draft, role, permission))
        .map(({ role }) => role);
    return (
        <>
            <h2 id="who">{words.who}</h2>
            <div>
                <p className="field">
                    <select aria-label={words.who} value={permission}
                        onChange={({ target }) => navigate(paths.permissions(
                            `?permission=${target.value}`), { replace: true })}>
                        {Object.entries(words.words).map(([value, title]) => (
                            <option key={value} value={value}>{title}</option>
                        ))}
                    </select>
                </p>
                <dl className="stack">
                    <dt>{words.roles}</dt>
                    <dd>{roles.map((role) => roleNames[role]).join(', ') || words.nobody}</dd>
                    {may('user.manage') ? <People roles={roles} /> : null}
                </dl>
            </div>
        </>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// Users (S20): who they are, what roles they have, whether they can sign, and where they are
// signed in.
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { endSession, giveLink, userActions } from '../../actions/users.ts';
import type { User } from '../../actions/users.ts';
import { useRead } from '../../api/read.ts';
import { RecordForm } from '../../form/form.tsx';
import { Secret } from '../../form/secret.tsx';
import { browserOf } from '../../nouns/browser.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { Choose, useShown } from '../../table/choose.tsx';
import { Csv } from '../../table/csv.tsx';
import type { Filters } from '../../table/filter.ts';
import { ListPage } from '../../table/list-page.tsx';
import type { Column } from '../../table/list-table.tsx';
import { t } from '../../texts/texts.ts';
import { userForm } from './forms.ts';
import { PeopleTabs } from './tabs.tsx';

const words = t.users;
const { columns: titles } = words;
const { roles } = t.reference;
const empty: User[] = [];

function State({ user }: { user: User }): ReactElement | null {
    if (!user.active) {
        return <Status glyph="lock">{words.inactive}</Status>;
    }
    return user.lockedUntil ? (
        <Status glyph="blocked" tone="blocked">
            <span>{words.lockedUntil} <Moment at={user.lockedUntil} /></span>
        </Status>
    ) : null;
}

const signing = ({ canSign, identity }: User): string =>
    identity ? words.identity(identity.type) : canSign ? words.canSign : words.cannotSign;

const rolesOf = (user: User): string => user.roles.map((role) => roles[role]).join(', ');

const columns: Column<User>[] = [
    { key: 'name', title: titles.name, className: 'w-who', heads: true,
        cell: ({ displayName }) => displayName },
    { key: 'email', title: titles.email, className: 'w-ident p3', cell: ({ email }) => email },
    { key: 'roles', title: titles.roles, hint: rolesOf, cell: rolesOf },
    { key: 'sign', title: titles.sign, className: 'w-name p3', cell: signing },
    { key: 'lastSignIn', title: titles.lastSignIn, className: 'w-when p2',
        cell: ({ lastSignInAt }) => lastSignInAt ? <Moment at={lastSignInAt} /> : words.never },
    { key: 'state', title: titles.state, className: 'w-long', cell: (user) => <State user={user} /> },
];

function Sessions({ id }: { id: number }): ReactElement {
    const found = useRead('/users/{id}/sessions', { params: { path: { id },
        query: { active: true, limit: 20 } } });
    const sessions = found.data?.data ?? [];
    return (
        <section className="section" aria-labelledby="sessions">
            <h3 id="sessions">{words.sessions}</h3>
            <ul className="many">
                {sessions.map((one) => (
                    <li className="line" key={one.id}>
                        <span>
                            {one.address}, <span title={one.browser ?? undefined}>
                                {browserOf(one.browser)}
                            </span>, {words.since} <Moment at={one.createdAt} />,{' '}
                            {words.lastUsed} <Moment at={one.lastUsedAt} />
                        </span>
                        <Button kind="row" label={words.endSessionOf(one.address ?? '')}
                            onPress={() => void endSession(one.id).catch(tell)}>
                            {words.endSession}
                        </Button>
                    </li>
                ))}
            </ul>
            {found.data && sessions.length === 0
                ? <p className="quiet small">{words.noSessions}</p> : null}
        </section>
    );
}

const asked: Record<string, Filters> = { '': { active: 'true' }, no: { active: 'false' }, all: {} };

export function UserList({ record }: { record: string }): ReactElement {
    const { shown, page } = useShown('active');
    const { search } = useAddress();
    const found = useRead('/users', { params: { query: {
        ...asked[shown], order: '-id', limit: 100, ...page,
    } } }, { live: 30 });
    const close = (): void => navigate(paths.users() + search);
    const invited = (user: Record<string, unknown>): void => {
        close();
        if (record === 'new' && !user['identity']) {
            giveLink(Number(user['id']), userForm.name(user), words.invited).catch(tell);
        }
    };

    return (
        <ListPage<User> title={words.title} label={words.label} none={words.none}
            noneWhat={words.noneWhat} columns={columns} found={found}
            rows={found.data?.data ?? empty} filtered={shown !== ''} list="/users"
            nameOf={({ displayName }) => displayName} actions={userActions}
            addressOf={({ id }) => paths.users(id) + search}
            filters={<>
                <PeopleTabs shown="users" />
                <Choose member="active" label={words.show} values={[
                    { value: '', title: words.shown.active },
                    { value: 'no', title: words.shown.inactive },
                    { value: 'all', title: words.shown.all },
                ]}>
                    <span className="push" /><Csv list="/users" filters={asked[shown] ?? {}} />
                </Choose>
            </>}>
            {record ? (
                <RecordForm key={record} definition={userForm} close={close} saved={invited}
                    id={record === 'new' ? null : Number(record)}>
                    {({ id }) => typeof id === 'number' ? <Sessions id={id} /> : null}
                </RecordForm>
            ) : null}
            <Secret />
        </ListPage>
    );
}

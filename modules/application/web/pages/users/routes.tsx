// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const UserList = later(async () => (await import('./list.tsx')).UserList);
const Permissions = later(async () => (await import('./permissions.tsx')).Permissions);

export const userRoutes: Route[] = [
    {
        pattern: '/users/:record?',
        rail: { group: 'administration', place: 210, title: t.users.title, also: ['/permissions'] },
        permission: 'user.manage',
        page: ({ record }) => <UserList record={record ?? ''} />,
    },
    { pattern: '/permissions', permission: 'policy.manage', page: () => <Permissions /> },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const ProfileList = later(async () => (await import('./list.tsx')).ProfileList);
const NewProfile = later(async () => (await import('./new.tsx')).NewProfile);
const ProfileRecord = later(async () => (await import('./record.tsx')).ProfileRecord);

export const profileRoutes: Route[] = [
    {
        pattern: '/instrument-profiles',
        rail: { group: 'administration', place: 245, title: t.profiles.title },
        permission: 'profile.manage',
        page: () => <ProfileList />,
    },
    {
        pattern: '/instrument-profiles/new',
        permission: 'profile.manage',
        page: () => <NewProfile />,
    },
    {
        // Whoever reads files may see how they are read.
        pattern: '/instrument-profiles/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <ProfileRecord key={id} id={Number(id)} tab={tab ?? 'definition'} />,
    },
];

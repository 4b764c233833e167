// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { isTab } from './tabs.ts';

const Organization = later(async () => (await import('./organization.tsx')).OrganizationPage);

export const organizationRoutes: Route[] = [
    {
        pattern: '/organization/:tab?',
        rail: { group: 'administration', place: 200, title: t.organization.title },
        permission: 'data.read',
        page: ({ tab }) => <Organization tab={isTab(tab) ? tab : 'policies'} />,
    },
];

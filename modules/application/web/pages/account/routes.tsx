// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';

const AccountPage = later(async () => (await import('./account.tsx')).AccountPage);

export const accountRoutes: Route[] = [
    { pattern: '/account', permission: 'self', page: () => <AccountPage /> },
];

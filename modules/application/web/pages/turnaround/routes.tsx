// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const Turnaround = later(async () => (await import('./page.tsx')).Turnaround);

export const turnaroundRoutes: Route[] = [{
    pattern: '/turnaround',
    rail: { group: 'work', place: 180, title: t.turnaround.title },
    permission: 'data.read',
    page: () => <Turnaround />,
}];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const Reference = later(async () => (await import('./list.tsx')).ReferencePage);

const Specifications = later(async () =>
    (await import('./specifications.tsx')).SpecificationsPage);

export const referenceRoutes: Route[] = [
    {
        pattern: '/reference/specifications/:record?',
        permission: 'data.read',
        page: ({ record }) => <Specifications record={record ?? ''} />,
    },
    {
        pattern: '/reference/:noun?/:record?',
        rail: { group: 'administration', place: 240, title: t.reference.title },
        permission: 'data.read',
        page: ({ noun, record }) => <Reference noun={noun} record={record ?? ''} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const BatchList = later(async () => (await import('./list.tsx')).BatchList);
const BatchRecord = later(async () => (await import('./record.tsx')).BatchRecord);

export const qcBatchRoutes: Route[] = [
    {
        pattern: '/qc-batches',
        rail: { group: 'work', place: 50, title: t.batches.title },
        permission: 'data.read',
        page: () => <BatchList />,
    },
    {
        pattern: '/qc-batches/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <BatchRecord key={id} id={Number(id)} tab={tab ?? 'controls'} />,
    },
];

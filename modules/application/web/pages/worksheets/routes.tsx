// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const List = later(async () => (await import('./list.tsx')).WorksheetList);
const Record = later(async () => (await import('./record.tsx')).WorksheetRecord);
const OfTest = later(async () => (await import('./record.tsx')).WorksheetOfTest);

export const worksheetRoutes: Route[] = [
    {
        pattern: '/worksheets',
        rail: { group: 'work', place: 50, title: t.worksheets.title },
        permission: 'data.read',
        page: () => <List />,
    },
    {
        pattern: '/worksheets/of/:test',
        permission: 'data.read',
        page: ({ test }) => <OfTest key={test} testId={Number(test)} />,
    },
    {
        pattern: '/worksheets/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <Record key={id} id={Number(id)} tab={tab ?? ''} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const LotList = later(async () => (await import('./list.tsx')).LotList);
const LotRecord = later(async () => (await import('./record.tsx')).LotRecord);

export const lotRoutes: Route[] = (['reagent', 'media'] as const).flatMap((kind) => [
    {
        pattern: `/${kind}-lots`,
        ...(kind === 'reagent' ? { rail: { group: 'work' as const, place: 100,
            title: t.lots.title, also: ['/media-lots'] } } : {}),
        permission: 'data.read',
        page: () => <LotList key={kind} kind={kind} />,
    },
    {
        pattern: `/${kind}-lots/new`,
        permission: 'lot.manage',
        page: () => <LotList key={kind} kind={kind} receiving />,
    },
    {
        pattern: `/${kind}-lots/:id/:tab?`,
        permission: 'data.read',
        page: ({ id, tab }) => <LotRecord key={`${kind}/${id}`} kind={kind} id={Number(id)} tab={tab ?? ''} />,
    },
]);

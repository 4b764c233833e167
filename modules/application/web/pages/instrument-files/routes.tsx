// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const Inbox = later(async () => (await import('./inbox.tsx')).Inbox);
const FileRecord = later(async () => (await import('./record.tsx')).FileRecord);

export const instrumentFileRoutes: Route[] = [
    {
        pattern: '/instrument-files',
        rail: { group: 'work', place: 40, title: t.instrumentFiles.title },
        permission: 'data.read',
        page: () => <Inbox />,
    },
    {
        pattern: '/instrument-files/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <FileRecord key={id} id={Number(id)} tab={tab ?? 'read'} />,
    },
];

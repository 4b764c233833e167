// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const ApprovalList = later(async () => (await import('./list.tsx')).ApprovalList);
const ApprovalRecord = later(async () => (await import('./record.tsx')).ApprovalRecord);

export const approvalRoutes: Route[] = [
    {
        pattern: '/approvals',
        rail: { group: 'work', place: 70, title: t.release.approvals.title },
        permission: 'approval.decide',
        page: () => <ApprovalList />,
    },
    {
        pattern: '/approvals/:id/:tab?',
        permission: 'approval.decide',
        page: ({ id, tab }) => <ApprovalRecord key={id} id={Number(id)} tab={tab ?? ''} />,
    },
];

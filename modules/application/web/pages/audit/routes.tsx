// SPDX-License-Identifier: Apache-2.0
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { AuditList } from './list.tsx';

export const auditRoutes: Route[] = [{
    pattern: '/audit',
    rail: { group: 'work', place: 190, title: t.audit.title },
    permission: 'audit.read',
    page: () => <AuditList />,
}];

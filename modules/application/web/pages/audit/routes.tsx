// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const AuditList = later(async () => (await import('./list.tsx')).AuditList);
const AuditProof = later(async () => (await import('./proof.tsx')).AuditProof);

export const auditRoutes: Route[] = [{
    pattern: '/audit',
    rail: { group: 'work', place: 190, title: t.audit.title },
    permission: 'audit.read',
    page: () => <AuditList />,
}, {
    pattern: '/audit/proof',
    permission: 'audit.read',
    page: () => <AuditProof />,
}];

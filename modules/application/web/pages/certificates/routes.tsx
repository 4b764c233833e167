// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const CertificateList = later(async () => (await import('./list.tsx')).CertificateList);
const CertificateRecord = later(async () => (await import('./record.tsx')).CertificateRecord);

export const certificateRoutes: Route[] = [
    {
        pattern: '/certificates',
        rail: { group: 'work', place: 80, title: t.release.certificates.title },
        permission: 'data.read',
        page: () => <CertificateList />,
    },
    {
        pattern: '/certificates/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => <CertificateRecord key={id} id={Number(id)} tab={tab ?? ''} />,
    },
];

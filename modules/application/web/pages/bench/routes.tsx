// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';

const BenchPage = later(async () => (await import('./bench.tsx')).BenchPage);

export const benchRoutes: Route[] = [
    {
        pattern: '/bench/method/:method',
        permission: 'result.enter',
        page: ({ method = '' }) => <BenchPage key={method} by="method" value={method} />,
    },
    {
        pattern: '/bench/batch/:batch',
        permission: 'result.enter',
        page: ({ batch = '' }) => <BenchPage key={batch} by="batch" value={batch} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import type { Route } from '../../router.tsx';

const BenchPage = later(async () => (await import('./bench.tsx')).BenchPage);

export const benchRoutes: Route[] = [
    {
        pattern: '/bench/method/:method/:tests?',
        permission: 'result.enter',
        page: ({ method = '', tests = '' }) => (
            <BenchPage key={`${method} ${tests}`} by="method" value={method} chosen={tests} />
        ),
    },
    {
        pattern: '/bench/batch/:batch',
        permission: 'result.enter',
        page: ({ batch = '' }) => <BenchPage key={batch} by="batch" value={batch} />,
    },
];

// SPDX-License-Identifier: Apache-2.0
import type { Route } from '../../router.tsx';
import { BenchPage } from './bench.tsx';

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

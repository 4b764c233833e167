// SPDX-License-Identifier: Apache-2.0
//
// How many records a list has without its filters: exact up to a page, beyond that "100+".
import { useRead } from '../api/read.ts';
import type { ReadPath } from '../api/read.ts';

const page = 100;

export function useTotal(list: ReadPath): string | undefined {
    const found = useRead(list, { params: { query: { limit: page } } } as never);
    const first = found.data as { data: unknown[]; hasMore: boolean } | undefined;
    return first && `${first.data.length}${first.hasMore ? '+' : ''}`;
}

// SPDX-License-Identifier: Apache-2.0
//
// Reading: what a page shows is kept under method, path template and parameters, asked for
// again while it is shown, and not sent again where it is the same (ETag, 304).
import { useCallback } from 'react';

import { QueryClient, keepPreviousData, replaceEqualDeep, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { PathsWithMethod } from 'openapi-typescript-helpers';

import type { paths } from '#api';

import { api } from './client.ts';
import { Problem, problemOf } from './problem.ts';

export type ReadPath = PathsWithMethod<paths, 'get'>;
type Init<P extends ReadPath> = MaybeOptionalInit<paths[P], 'get'>;
export type Read<P extends ReadPath> =
    NonNullable<FetchResponse<paths[P]['get'] & {}, Init<P>, `${string}/${string}`>['data']>;

interface Manner {
    // Seconds after which the data is read again while the page is visible.
    live?: number;
    enabled?: boolean;
}

const again = (failures: number, error: unknown): boolean =>
    error instanceof Problem && (error.offline || error.status === 503) && failures < 5;

// The ETag of each answer that a page has.
const tags = new WeakMap<object, string>();

// Returns the If-Match header of an act on a record, so that the act applies to the version that
// was seen or not at all.
export function condition(record: object): { headers?: { 'If-Match': string } } {
    const tag = tags.get(record);
    return tag === undefined ? {} : { headers: { 'If-Match': tag } };
}

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null;

// Keeps the unchanged parts of an answer as the same objects, under the ETag of the newest answer.
function shared(before: unknown, now: unknown): unknown {
    const data: unknown = replaceEqualDeep(before, now);
    const tag = isObject(now) ? tags.get(now) : undefined;
    if (tag !== undefined && isObject(data)) {
        tags.set(data, tag);
    }
    return data;
}

export const queries = new QueryClient({
    defaultOptions: {
        queries: {
            retry: again,
            retryDelay: (failures, error) => error instanceof Problem && error.retryAfter
                ? error.retryAfter * 1000 : Math.min(1000 * 2 ** failures, 8000),
            refetchOnWindowFocus: false,
            staleTime: 2000,
            placeholderData: keepPreviousData,
            structuralSharing: shared,
        },
    },
});

const none: never[] = [];

interface Kept {
    etag: string;
    data: unknown;
}

const kept = new Map<string, Kept>();

export const keyOf = (path: string, init?: unknown): readonly unknown[] => ['GET', path, init];

async function read(path: ReadPath, init: object, background: boolean): Promise<unknown> {
    const key = JSON.stringify(keyOf(path, init));
    const before = kept.get(key);
    const headers: Record<string, string> = {};
    if (background) {
        headers['X-Lims-Background'] = '1';
    }
    if (before) {
        headers['If-None-Match'] = before.etag;
    }
    const { data, error, response } = await api.GET(path, { ...init, headers } as never);
    if (response.status === 304 && before) {
        return before.data;
    }
    if (!response.ok) {
        throw problemOf(response, error);
    }
    const etag = response.headers.get('ETag');
    if (etag) {
        kept.set(key, { etag, data });
        if (isObject(data)) {
            tags.set(data, etag);
        }
    }
    return data;
}

// Reads a record as it is now, for an act that begins with it.
export const readNow = async <P extends ReadPath>(path: P, init: Init<P>): Promise<Read<P>> =>
    await read(path, init as object, false) as Read<P>;

// Reads something again by itself, which is no use of the session.
export const readAgain = async <P extends ReadPath>(path: P, init: Init<P>): Promise<Read<P>> =>
    await read(path, init as object, true) as Read<P>;

// The first request counts as a use of the session; later ones, made by the page itself, do not.
const isOwnLook = (path: ReadPath, key: readonly unknown[]): boolean =>
    (queries.getQueryState(key)?.dataUpdateCount ?? 0) > 0 && !asked.delete(path);

interface Query<Data> {
    queryKey: readonly unknown[];
    queryFn: () => Promise<Data>;
}

function readOf<P extends ReadPath>(path: P, init: Init<P>): Query<Read<P>> {
    const key = keyOf(path, init);
    return {
        queryKey: key,
        queryFn: async () => await read(path, init as object, isOwnLook(path, key)) as Read<P>,
    };
}

// Reads ahead of a page what it will show, which finds it read. What fails is asked for again there.
export const readAhead = <P extends ReadPath>(path: P, init: Init<P>): Promise<void> =>
    queries.prefetchQuery(readOf(path, init));

export function useRead<P extends ReadPath>(
    path: P, init: Init<P>, manner: Manner = {},
): UseQueryResult<Read<P>, Problem> {
    return useQuery<Read<P>, Problem>({
        ...readOf(path, init),
        ...(manner.live === undefined ? {} : { refetchInterval: manner.live * 1000 }),
        ...(manner.enabled === undefined ? {} : { enabled: manner.enabled }),
    });
}

// Reads a record for a form of its own: as it is when the form is opened, and not again while
// somebody types.
export const useAtOpening = <P extends ReadPath>(
    path: P, init: Init<P>,
): UseQueryResult<Read<P>, Problem> => useQuery<Read<P>, Problem>({
    queryKey: ['form', path, init],
    queryFn: () => readNow(path, init),
    staleTime: Infinity, gcTime: 0, retry: false,
});

// Paths that are read again because a person did something.
const asked = new Set<string>();

// Whether a path was read before: its first reading is not repeated for a change.
const wasRead = (path: ReadPath): boolean =>
    queries.getQueryCache().findAll({ queryKey: ['GET', path] })
        .some(({ state }) => state.dataUpdateCount > 0);

export async function changed(...templates: ReadPath[]): Promise<void> {
    templates.filter(wasRead).forEach((path) => asked.add(path));
    await Promise.all(templates.map((path) =>
        queries.invalidateQueries({ queryKey: ['GET', path] })));
}

// Takes the rows out of a page of a list, and the cursor of the next one.
type Rows<P extends ReadPath, R> = (page: Read<P>) => { rows: R[]; next: number | undefined };

interface MannerOfWhole extends Pick<Manner, 'live'> {
    // Filters and other parameters of each page.
    query?: Readonly<Record<string, unknown>>;
}

// All pages of a list: of names, which are few and seldom change, or of what is shown live.
function wholeOf<P extends ReadPath, R>(
    path: P, pick: Rows<P, R>, { live, query: asked }: MannerOfWhole = {},
): Query<Read<P>[]> & { staleTime: number } {
    const key = ['GET', path, 'all', ...(asked === undefined ? [] : [asked])];
    return {
        queryKey: key,
        staleTime: live === undefined ? 5 * 60_000 : 2000,
        queryFn: async () => {
            const background = isOwnLook(path, key);
            const pages: Read<P>[] = [];
            for (let cursor: number | undefined = undefined, more = true; more;) {
                const query: Record<string, unknown> = { limit: 100, ...asked };
                if (cursor !== undefined) {
                    query['cursor'] = cursor;
                }
                const page = await read(path, { params: { query } }, background) as Read<P>;
                pages.push(page);
                cursor = pick(page).next;
                more = cursor !== undefined;
            }
            return pages;
        },
    };
}

export const readWholeAhead = <P extends ReadPath, R>(path: P, pick: Rows<P, R>): Promise<void> =>
    queries.prefetchQuery(wholeOf(path, pick));

// The rows as they were read last; null: they were not read yet.
export function wholeNow<P extends ReadPath, R>(path: P, pick: Rows<P, R>): R[] | null {
    const pages = queries.getQueryData<Read<P>[]>(wholeOf(path, pick).queryKey);
    return pages ? pages.flatMap((page) => pick(page).rows) : null;
}

// The pages are kept; each caller takes its own out of them.
export function useWhole<P extends ReadPath, R>(
    path: P, pick: Rows<P, R>, manner: MannerOfWhole = {},
): UseQueryResult<R[], Problem> {
    const rowsOf = useCallback((pages: Read<P>[]) => pages.flatMap((page) => pick(page).rows), [pick]);
    return useQuery<Read<P>[], Problem, R[]>({
        ...wholeOf(path, pick, manner),
        ...(manner.live === undefined ? {} : { refetchInterval: manner.live * 1000 }),
        select: rowsOf,
    });
}

// Reads all rows of a list, empty until they have come: for names of records that a page refers to.
export const useAll = <P extends ReadPath, R>(path: P, pick: Rows<P, R>): R[] =>
    useWhole(path, pick).data ?? none;

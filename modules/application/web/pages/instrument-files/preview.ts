// SPDX-License-Identifier: Apache-2.0
//
// Preview of a release: a dry run after each decision. While reasons hold the file, a second dry
// run excludes the rows that they are about, and says what would be written for the others. That
// a control cannot be excluded is then no reason of the file, but the end of the trial.
import { useQuery } from '@tanstack/react-query';

import { answer, api } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import type { Read } from '../../api/read.ts';
import { blocks, decisionsOf, reasonsOf, sent } from '../../nouns/file-reasons.ts';
import type { Excluded, Reason } from '../../nouns/file-reasons.ts';

export type InstrumentFile = Read<'/instrument-files/{id}'>;
export type Written = InstrumentFile['results'][number];

export interface Preview {
    reasons: Reason[];
    results: Written[];
}

// Dry runs at most: further reasons may appear only once the first rows are excluded.
const attempts = 4;

const rowsOf = (reasons: Reason[]): Excluded[] => reasons.flatMap(({ sheet, row }) =>
    row === null ? [] : [{ row, ...(sheet ? { sheet } : {}), reason: 'preview' }]);

async function dryRun(file: InstrumentFile, out: Excluded[]): Promise<Preview> {
    const { exclude } = sent(decisionsOf(file));
    try {
        const done = await answer(api.POST('/instrument-files/{id}/release', {
            params: { path: { id: file.id } },
            body: { dryRun: true, ...(out.length ? { exclude: [...exclude, ...out] } : {}) },
        }));
        return { reasons: [], results: done.results };
    } catch (error) {
        const body = error instanceof Problem && error.status === 409 ? error.body : null;
        if (typeof body !== 'object' || body === null || !('reasons' in body)) {
            throw error;
        }
        return { reasons: reasonsOf({ reasons: body.reasons }).filter(blocks), results: [] };
    }
}

async function look(file: InstrumentFile): Promise<Preview> {
    let last = await dryRun(file, []);
    const reasons = [...last.reasons];

    for (let i = 1; i < attempts && last.reasons.length > 0; i++) {
        if (last.reasons.some(({ row }) => row === null)) {
            break;
        }
        last = await dryRun(file, rowsOf(reasons));
        if (last.reasons.some(({ code }) => code === 'control_excluded')) {
            break;
        }
        reasons.push(...last.reasons.filter(({ row }) => row !== null));
    }
    return { reasons, results: last.results };
}

export const usePreview = (file: InstrumentFile, enabled: boolean) =>
    useQuery<Preview, Problem>({
        queryKey: ['instrument file preview', file.id, file.updatedAt],
        queryFn: () => look(file),
        enabled,
        staleTime: 60_000,
    });

// SPDX-License-Identifier: Apache-2.0
//
// Makes a QC batch. Its number follows the last one, wherever it is made.
import { answer, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { session } from '../api/session.ts';
import { nextNumber } from '../nouns/qc-numbers.ts';
import { dayIn } from '../texts/local-time.ts';

type QcBatch = Read<'/qc-batches/{id}'>;

export interface Made {
    qcTemplateId?: number;
    method?: string;
    instrumentId?: number;
    sampleTestIds?: number[];
}

export const batchesChanged = (): Promise<void> =>
    changed('/qc-batches', '/qc-batches/{id}', '/qc-batches/{id}/impact', '/qc-series',
        '/qc-series/{id}', '/sample-tests', '/worklist', '/investigations',
        '/qc-batches/{id}/history', '/signatures');

// Retries: if somebody else has taken the number meanwhile, the next one is tried.
const attempts = 5;

// The number under which a batch is made. Where its answer was lost it is asked for again under the
// same one, or there would be two.
export interface Numbered {
    batchNumber?: string;
}

async function nextFree(): Promise<string> {
    const { data } = await answer(api.GET('/qc-batches',
        { params: { query: { order: '-id', limit: 1 } } }));
    return nextNumber(data[0]?.batchNumber);
}

export async function makeBatch(made: Made, numbered: Numbered = {}): Promise<QcBatch> {
    const analysisDate = dayIn(session()?.organization.timeZone ?? 'UTC', Date.now());
    for (let i = 1; ; i++) {
        const batchNumber = numbered.batchNumber ??= await nextFree();
        try {
            const batch = await answer(api.POST('/qc-batches', {
                body: { batchNumber, analysisDate, ...made },
            }));
            await batchesChanged();
            return batch;
        } catch (error) {
            const taken = error instanceof Problem && /another record/.test(error.message);
            if (!taken || i === attempts) {
                throw error;
            }
            numbered.batchNumber = nextNumber(batchNumber);
        }
    }
}

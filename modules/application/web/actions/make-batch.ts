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

export async function makeBatch(made: Made): Promise<QcBatch> {
    const { data } = await answer(api.GET('/qc-batches',
        { params: { query: { order: '-id', limit: 1 } } }));
    const analysisDate = dayIn(session()?.organization.timeZone ?? 'UTC', Date.now());
    let batchNumber = nextNumber(data[0]?.batchNumber);
    for (let i = 1; ; i++) {
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
            batchNumber = nextNumber(batchNumber);
        }
    }
}

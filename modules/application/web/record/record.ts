// SPDX-License-Identifier: Apache-2.0
//
// Properties of every record: the paths of its history, signatures, files and comments.
import type { PathsWithMethod } from 'openapi-typescript-helpers';

import type { paths } from '#api';

export type HistoryPath = Extract<PathsWithMethod<paths, 'get'>, `${string}/{id}/history`>;

const noted = ['sample', 'sample_test', 'qc_batch', 'reagent_lot', 'media_lot',
    'investigation'] as const;
export type Noted = (typeof noted)[number];

export interface Recorded {
    id: number;
    history: HistoryPath;
    // Table of the record, by which signatures, files and comments name it.
    table: string;
}

// The table, where its records take files and comments.
export const notedTable = (of: Recorded): Noted | undefined =>
    noted.find((name) => name === of.table);

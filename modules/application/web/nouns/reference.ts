// SPDX-License-Identifier: Apache-2.0
//
// A noun of reference data: its routes, the members of its form and the columns of its list.
import type { ReadPath } from '../api/read.ts';
import type { FormDefinition } from '../form/definition.ts';
import type { t } from '../texts/texts.ts';

export interface ColumnOf {
    member: string;
    className: string;
    // Format of the value in its cell.
    as?: 'count' | 'day';
}

export interface Noun {
    slug: keyof typeof t.reference.nouns;
    list: ReadPath;
    definition: FormDefinition;
    columns: ColumnOf[];
    // Whether its records form a tree (by parentId), and are listed as one.
    tree?: boolean;
    // Permission to create one, where it is another than that to manage reference data.
    permission?: string;
}

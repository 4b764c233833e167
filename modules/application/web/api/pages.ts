// SPDX-License-Identifier: Apache-2.0
//
// Lists of which an act needs every row, however many pages they have.
interface Page<Row> {
    data: Row[];
    nextCursor: number;
    hasMore: boolean;
}

// The parameter of a page: none of the first one.
export type From = { cursor?: number };

// Rows that are asked for at once: the most that a list gives.
export const AT_ONCE = 500;

export async function all<Row>(ask: (from: From) => Promise<Page<Row>>): Promise<Row[]> {
    const first = await ask({});
    const rows = [...first.data];
    for (let page = first; page.hasMore;) {
        page = await ask({ cursor: page.nextCursor });
        rows.push(...page.data);
    }
    return rows;
}

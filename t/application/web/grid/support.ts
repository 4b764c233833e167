// SPDX-License-Identifier: Apache-2.0
//
// Sheets, and a clock that a test turns.
import {
    type Column, type Place, type Row, type Settings, type Sheet, type Version, cellAt, cellOf,
} from '../../../../modules/application/web/grid/sheet.ts';
import type { Clock } from '../../../../modules/application/web/grid/clock.ts';

export function column(key: string, more: Partial<Column> = {}): Column {
    return { key, name: key, aliases: [], hint: '', numeric: true, length: 1000, ...more };
}

export function version(text = '', more: Partial<Version> = {}): Version {
    return { text, opinion: null, exceptions: {}, etag: `etag of ${text}`, lock: '',
        limit: '', ...more };
}

// A sheet whose cells are named by row and column: r0c0, r0c1, …
export function sheet(rows: number, columns: string[] | Column[], more: Partial<Sheet> = {}): Sheet {
    const heads = columns.map((one) => (typeof one === 'string' ? column(one) : one));
    return {
        name: 'Results',
        heads: [{ title: 'Tracking id', className: '' }, { title: 'Place', className: '' }],
        columns: heads,
        rows: Array.from({ length: rows }, (_, r) => row(r, heads.length)),
        settings: {},
        reasons: false,
        grow: null,
        ...more,
    };
}

export function row(r: number, columns: number, more: Partial<Row> = {}): Row {
    return {
        key: `r${r}`,
        label: `CB-26-000010${r}-X`,
        kind: 'sample',
        facts: ['Well'],
        cells: Array.from({ length: columns }, (_, c) => cellOf(`r${r}c${c}`, version())),
        ...more,
    };
}

// The same sheet with some records as they are said to be.
export function having(given: Sheet, records: Record<string, Version>): Sheet {
    const rows = given.rows.map((one) => ({
        ...one,
        cells: one.cells.map((cell) => {
            const record = records[cell.id];
            return record ? cellOf(cell.id, record) : cell;
        }),
    }));
    return { ...given, rows };
}

export function typedIn(given: Sheet): string[][] {
    return given.rows.map((one) => one.cells.map((cell) => cell.content.typed));
}

export function at(row: number, column: number): Place {
    return { row, column };
}

export function cell(given: Sheet, row: number, column: number) {
    const found = cellAt(given, at(row, column));
    if (!found) {
        throw new Error(`no cell ${row}, ${column}`);
    }
    return found;
}

export const NONE: Settings = {};

// A clock that stands still until a test turns it.
export class Hands implements Clock {
    #now = 0;
    #calls: { at: number; call: () => void }[] = [];

    now(): number {
        return this.#now;
    }

    after(milliseconds: number, call: () => void): () => void {
        const entry = { at: this.#now + milliseconds, call };
        this.#calls.push(entry);
        return () => {
            this.#calls = this.#calls.filter((one) => one !== entry);
        };
    }

    // Lets time pass, with all that is due in it and what that promises.
    async pass(milliseconds: number): Promise<void> {
        const end = this.#now + milliseconds;
        await settled();
        for (;;) {
            const due = this.#calls.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
            if (!due) {
                break;
            }
            this.#calls = this.#calls.filter((one) => one !== due);
            this.#now = due.at;
            due.call();
            await settled();
        }
        this.#now = end;
        await settled();
    }
}

export async function settled(): Promise<void> {
    for (let i = 0; i < 20; i++) {
        await Promise.resolve();
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Finds what the lines of a pasted block are called: its first line by the names
// of the sheet's columns, its first column by the labels of the rows. A block that names
// neither goes where the cursor stands.
import type { Column, Sheet } from './sheet.ts';

export interface Heading {
    // Lines of the block that name columns: 1 or 0.
    readonly lines: number;
    // The sheet's column for each of the block; null: there is none of that name.
    readonly columns: readonly (number | null)[];
    // The column of the block that has the labels of rows; null: none has.
    readonly label: number | null;
    // Columns of the block that the sheet shows and does not enter, such as the place.
    readonly facts: ReadonlySet<number>;
    // Rows of the sheet by label, in capitals. Labels that stand twice are in none.
    readonly rows: ReadonlyMap<string, number>;
}

function folded(text: string): string {
    return text.trim().replace(/\s+/g, ' ').toUpperCase();
}

// A heading may have its unit behind it: "NO3N (mg/L)" and "NO3N mg/L" name NO3N.
function names(column: Column, head: string): boolean {
    const bare = head.replace(/\s*[([].*$/, '');
    return [column.key, column.name, ...column.aliases].some(
        (name) => name !== '' && (folded(name) === head || folded(name) === bare),
    );
}

function columnsOf(sheet: Sheet, line: readonly string[]): (number | null)[] {
    return line.map((text) => {
        const index = sheet.columns.findIndex((column) => names(column, folded(text)));
        return index < 0 || folded(text) === '' ? null : index;
    });
}

function rowsByLabel(sheet: Sheet): Map<string, number> {
    const rows = new Map<string, number>();
    const twice = new Set<string>();
    sheet.rows.forEach((row, index) => {
        const label = folded(row.label);
        if (rows.has(label)) {
            twice.add(label);
        }
        rows.set(label, index);
    });
    for (const label of [...twice, '']) {
        rows.delete(label);
    }
    return rows;
}

// The first column has labels when each line has something there, and one names a row.
function labelled(
    rows: ReadonlyMap<string, number>, lines: readonly (readonly string[])[],
): boolean {
    const labels = lines.map((line) => folded(line[0] ?? ''));
    return labels.length > 0 && !labels.includes('') && labels.some((label) => rows.has(label));
}

// Returns columns from the cursor's on, for a block that has labels and no heading.
function fromCursor(
    sheet: Sheet, rows: ReadonlyMap<string, number>, width: number, left: number,
): Heading {
    const columns = Array.from({ length: width }, (_, c) => left + c - 1);
    return {
        lines: 0,
        columns: columns.map(
            (column, c) => (c > 0 && column < sheet.columns.length ? column : null)),
        label: 0,
        facts: new Set(),
        rows,
    };
}

// Returns how a block names its columns and rows; null: it names neither. Its first line
// names columns when at least half of what stands there are names, one of them of a column
// that is entered: a value that happens to be a name makes no heading.
export function headingOf(
    sheet: Sheet, block: readonly (readonly string[])[], left: number,
): Heading | null {
    const first = block[0] ?? [];
    const rows = rowsByLabel(sheet);
    const columns = columnsOf(sheet, first);
    const heads = sheet.heads.map((head) => folded(head.title));
    const known = first.map(
        (text, c) => (columns[c] === null && heads.includes(folded(text)) ? c : -1));
    const named = first.filter((_, c) => columns[c] !== null || known[c] !== -1).length;
    const given = first.filter((text) => folded(text) !== '').length;
    if (named * 2 < given || !columns.some((column) => column !== null)) {
        const width = block.reduce((widest, line) => Math.max(widest, line.length), 0);
        return width > 1 && labelled(rows, block) ? fromCursor(sheet, rows, width, left) : null;
    }
    return {
        lines: 1,
        columns,
        label: columns[0] === null && labelled(rows, block.slice(1)) ? 0 : null,
        facts: new Set(known.filter((c) => c >= 0)),
        rows,
    };
}

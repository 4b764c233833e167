// SPDX-License-Identifier: Apache-2.0
//
// The text that spreadsheets put on the clipboard: cells between tabs, rows between
// line ends, quoted where a cell itself has one of these. Reading what was written gives the
// same cells again.

const QUOTED = /"([^"]*(?:""[^"]*)*)"(?=[\t\r\n]|$)/y;
const PLAIN = /[^\t\r\n]*/y;

function writtenCell(text: string): string {
    return /[\t\r\n]/.test(text) || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

// Writes a block of cells. A row that is one empty cell is quoted, or it would be no row.
export function writeTsv(rows: readonly (readonly string[])[]): string {
    return rows
        .map((row) => (row.length === 1 && row[0] === '' ? '""' : row.map(writtenCell).join('\t')))
        .join('\n');
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(text);
}

// Reads the cell that begins at a place, and returns where it ends. A quote that no other one
// closes is a character like any, as in a note of inches.
function readCell(text: string, at: number): readonly [string, number] {
    const quoted = matchAt(QUOTED, text, at);
    if (quoted) {
        return [(quoted[1] ?? '').replaceAll('""', '"'), at + quoted[0].length];
    }
    const plain = matchAt(PLAIN, text, at)?.[0] ?? '';
    return [plain, at + plain.length];
}

// Reads a block of cells. The line end after the last row makes no row.
export function readTsv(text: string): string[][] {
    const block = text.replace(/(?:\r\n|\r|\n)$/, '');
    const rows: string[][] = [];
    let row: string[] = [];
    let at = 0;
    while (text !== '') {
        const [cell, end] = readCell(block, at);
        row.push(cell);
        if (block[end] === '\t') {
            at = end + 1;
            continue;
        }
        rows.push(row);
        row = [];
        if (end >= block.length) {
            break;
        }
        at = end + (block.startsWith('\r\n', end) ? 2 : 1);
    }
    return rows;
}

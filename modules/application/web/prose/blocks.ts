// SPDX-License-Identifier: Apache-2.0
//
// The service's own documentation is text in a small part of Markdown: headings, lists,
// tables, paragraphs and `names`. Here it becomes blocks, which prose.tsx shows; never markup.

export type Block =
    | { is: 'heading' | 'paragraph'; text: string }
    | { is: 'list'; items: string[] }
    | { is: 'table'; head: string[]; rows: string[][] };

const cells = (line: string): string[] =>
    line.replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());

const isRule = (line: string): boolean => /^\|[\s|:-]+$/.test(line);

// A line that is indented, or begins no item, goes on with the item before it.
function itemsOf(lines: string[]): string[] {
    const items: string[] = [];
    for (const line of lines) {
        if (line.startsWith('- ')) {
            items.push(line.slice(2));
        } else {
            items.push(`${items.pop() ?? ''} ${line.trim()}`.trim());
        }
    }
    return items;
}

function block(paragraph: string): Block {
    const lines = paragraph.split('\n');
    const first = lines[0] ?? '';

    if (first.startsWith('#')) {
        return { is: 'heading', text: paragraph.replace(/^#+ */, '') };
    }
    if (first.startsWith('- ')) {
        return { is: 'list', items: itemsOf(lines) };
    }
    if (first.startsWith('|')) {
        const [head = [], ...rows] = lines.filter((line) => !isRule(line)).map(cells);
        return { is: 'table', head, rows };
    }
    return { is: 'paragraph', text: lines.join(' ') };
}

export const blocksOf = (text: string): Block[] =>
    text.split(/\n{2,}/).map((part) => part.trim()).filter((part) => part !== '').map(block);

export interface Piece {
    name: boolean;
    text: string;
}

// Splits a text at backticks, between which stand names of members, fields and slugs.
export const piecesOf = (text: string): Piece[] => text.split('`')
    .map((part, i) => ({ name: i % 2 === 1, text: part })).filter(({ text: part }) => part !== '');

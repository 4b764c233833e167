// SPDX-License-Identifier: Apache-2.0
//
// A row of the grid: what it is called, what is shown of it, and its cells. It is drawn anew
// only when its own row changed, or the cursor or the selection reach it.
import { memo } from 'react';
import type { ReactElement } from 'react';

import { cellName } from './arrange.ts';
import { Cell } from './cell.tsx';
import type { GridDesk } from './desk.ts';
import type { Mode } from './keys.ts';
import { lookOf } from './look.ts';
import { type Row, type Sheet, isNumeric } from './sheet.ts';

export interface RowProperties {
    desk: GridDesk;
    row: Row;
    index: number;
    columns: Sheet['columns'];
    heads: Sheet['heads'];
    settings: Sheet['settings'];
    // The column of the cursor; -1: it is in another row.
    cursor: number;
    // First and last column of the selection in this row; -1: nothing of it is selected.
    left: number;
    right: number;
    mode: Mode;
    focus: boolean;
    reason: string;
}

function Facts({ row, heads }: Pick<RowProperties, 'row' | 'heads'>): ReactElement | null {
    const [head, ...rest] = heads;
    if (!head) {
        return null;
    }
    return (
        <>
            <th scope="row" role="rowheader" aria-colindex={2}
                className={`${head.className} stay id`}>{row.label}</th>
            {rest.map(({ title, className }, i) => (
                <td key={title} role="gridcell" aria-colindex={i + 3} className={className}
                    title={row.facts[i] ?? ''}>{row.facts[i]}</td>
            ))}
        </>
    );
}

function DrawnRow(properties: RowProperties): ReactElement {
    const { desk, row, index, columns, heads, cursor, left, right } = properties;
    const { mode, focus, reason } = properties;
    return (
        <tr role="row" aria-rowindex={index + 2} data-row={index}
            className={row.kind === 'control' ? 'control' : undefined}>
            <th role="rowheader" aria-colindex={1} className="right quiet">{index + 1}</th>
            <Facts row={row} heads={heads} />
            {row.cells.map((cell, c) => {
                const column = columns[c];
                return column ? (
                    <Cell key={column.key} desk={desk} cell={cell} look={lookOf(desk.sheet, cell)}
                        column={column} index={c} first={heads.length + 2}
                        name={cellName(row, column, index)} numeric={isNumeric(row, column)}
                        selected={c >= left && c <= right} mode={c === cursor ? mode : null}
                        focus={focus} reason={reason} />
                ) : null;
            })}
        </tr>
    );
}

export const GridRow = memo(DrawnRow);

// SPDX-License-Identifier: Apache-2.0
//
// A list: rows with a cursor that the keyboard moves, and a selection. Rows and not cells
// are what one acts on, so a row has the focus.
import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MouseEvent, ReactElement, ReactNode, RefObject } from 'react';

import { focusAgain, keepFocus } from '../keys/focus.ts';
import { listen } from '../keys/keyboard.ts';
import { Glyph } from '../parts/glyph.tsx';
import { t } from '../texts/texts.ts';
import { allOrNone, allSelected, moved, ranged, toggled } from './selection.ts';

export interface Column<Row> {
    key: string;
    title: string;
    // CSS classes of the width (w-…) and of when the column is hidden for want of room: p6 first,
    // then p5, p4, roomy, p3 to p1.
    className?: string;
    // Further CSS classes of the cells.
    cellClass?: string;
    cell: (row: Row) => ReactNode;
    hint?: (row: Row) => string | undefined;
    heads?: boolean;
    sorted?: boolean;
}

interface Properties<Row> {
    label: string;
    columns: Column<Row>[];
    rows: Row[];
    nameOf: (row: Row) => string;
    cursor: number | null;
    stale: boolean;
    move: (id: number) => void;
    // Selected rows; absent: rows cannot be selected.
    selected?: ReadonlySet<number>;
    select?: ((ids: ReadonlySet<number>) => void) | undefined;
    open: (row: Row) => void;
    peek?: (row: Row) => void;
    escape: () => void;
}

interface Identified {
    id: number;
}

const none: ReadonlySet<number> = new Set();

type Shown = RefObject<HTMLTableElement | null>;

function focusOn(line: HTMLElement | null | undefined): void {
    line?.focus({ preventScroll: true });
    line?.scrollIntoView({ block: 'nearest' });
}

function useKeys<Row extends Identified>(table: Properties<Row>, shown: Shown): void {
    const { rows, cursor, selected = none, move, select, open, peek, escape } = table;
    // Position of the cursor, up to date even if keys arrive faster than the page is drawn.
    const now = useRef(cursor);

    useLayoutEffect(() => {
        now.current = cursor;
    }, [cursor]);
    useEffect(() => {
        const at = (): number => rows.findIndex((row) => row.id === now.current);
        // A key that moves the cursor takes the focus from a button or a link.
        const go = (step: number): void => {
            const to = moved(at(), step, rows.length);
            const next = rows[to];
            if (next) {
                now.current = next.id;
                move(next.id);
                focusOn(shown.current?.tBodies[0]?.rows[to]);
            }
        };
        const extend = (step: number): void => {
            const to = moved(at(), step, rows.length);
            select?.(ranged(selected, rows, at(), to));
            go(step);
        };
        const here = (act: (row: Row) => void) => () => {
            const row = rows[at()];
            if (row) {
                act(row);
            }
        };
        return listen([
            { keys: 'j', run: () => go(1) }, { keys: 'ArrowDown', run: () => go(1) },
            { keys: 'k', run: () => go(-1) }, { keys: 'ArrowUp', run: () => go(-1) },
            { keys: 'Home', run: () => go(-rows.length) },
            { keys: 'End', run: () => go(rows.length) },
            { keys: 'Enter', run: here(open) }, { keys: 'Escape', run: escape },
            ...(peek ? [{ keys: 'Space', run: here(peek) }] : []),
            ...(select ? [
                { keys: 'Mod+a', run: () => select(allOrNone(selected, rows)) },
                ...['x', 'Shift+Space'].map((keys) => (
                    { keys, run: here((row) => select(toggled(selected, row.id))) })),
                { keys: 'Shift+ArrowDown', run: () => extend(1) },
                { keys: 'Shift+ArrowUp', run: () => extend(-1) },
            ] : []),
        ]);
    }, [rows, selected, move, select, open, peek, escape, shown]);
}

function useFocus(shown: Shown, rows: unknown): void {
    useEffect(() => keepFocus(() =>
        shown.current?.querySelector<HTMLElement>('tr.cursor')), [shown]);
    useEffect(focusAgain, [rows]);
}

function Head<Row extends Identified>({ table }: { table: Properties<Row> }): ReactElement {
    const { columns, rows, selected = none, select } = table;

    return (
        <thead>
            <tr>
                {select ? (
                    <th className="w-tick" scope="col">
                        <input type="checkbox" tabIndex={-1} checked={allSelected(selected, rows)}
                            aria-label={t.table.selectAll(rows.length)}
                            onChange={() => select(allOrNone(selected, rows))} />
                    </th>
                ) : null}
                {columns.map((column) => (
                    <th key={column.key} scope="col" className={column.className}
                        aria-sort={column.sorted ? 'descending' : undefined}>
                        {column.title} {column.sorted ? <Glyph name="down" /> : null}
                    </th>
                ))}
            </tr>
        </thead>
    );
}

const classesOf = <Row,>({ className, cellClass }: Column<Row>): string | undefined =>
    [className, cellClass].filter(Boolean).join(' ') || undefined;

function Cells<Row>({ columns, row }: { columns: Column<Row>[]; row: Row }): ReactElement {
    return (
        <>
            {columns.map((column) => column.heads ? (
                <th key={column.key} scope="row" className={classesOf(column)}>{column.cell(row)}</th>
            ) : (
                <td key={column.key} className={classesOf(column)} title={column.hint?.(row)}>
                    {column.cell(row)}
                </td>
            ))}
        </>
    );
}

function Line<Row extends Identified>({ table, row }: {
    table: Properties<Row>; row: Row;
}): ReactElement {
    const { cursor, selected = none, rows, move, select, open } = table;
    const line = useRef<HTMLTableRowElement>(null);
    const here = row.id === cursor;
    const press = (event: MouseEvent): void => {
        const at = rows.findIndex((one) => one.id === cursor);
        if (event.shiftKey && at >= 0) {
            select?.(ranged(selected, rows, at, rows.indexOf(row)));
        }
        move(row.id);
    };

    // The keyboard's row has the focus, unless somebody types or answers elsewhere.
    useEffect(() => {
        const active = document.activeElement;
        if (here && (active === document.body || active?.closest('table') !== null)) {
            focusOn(line.current);
        }
    }, [here]);
    return (
        <tr ref={line} aria-selected={select ? selected.has(row.id) : here} tabIndex={here ? 0 : -1}
            className={here ? 'cursor' : undefined} onClick={press}
            onDoubleClick={() => open(row)}>
            {select ? (
                <td>
                    <input type="checkbox" tabIndex={-1} checked={selected.has(row.id)}
                        aria-label={t.table.select(table.nameOf(row))}
                        onClick={(event) => event.stopPropagation()}
                        onChange={() => select(toggled(selected, row.id))} />
                </td>
            ) : null}
            <Cells columns={table.columns} row={row} />
        </tr>
    );
}

// Pixels of the lowest row, and of what stands above the rows of a list.
const [rowHeight, above] = [28, 200];

// Returns the rows that the window has room for, and all of them once these are on the screen: a
// list of 50 is there twice as soon.
function useFirstScreen<Row>(rows: Row[]): Row[] {
    const [isShown, setIsShown] = useState(false);
    useEffect(() => startTransition(() => setIsShown(true)), []);
    return isShown ? rows : rows.slice(0, Math.ceil((window.innerHeight - above) / rowHeight));
}

export function ListTable<Row extends Identified>(table: Properties<Row>): ReactElement {
    const shown = useRef<HTMLTableElement>(null);
    const rows = useFirstScreen(table.rows);
    useKeys(table, shown);
    useFocus(shown, table.rows);
    return (
        <table ref={shown} className={table.stale ? 'table dim' : 'table'} role="grid" aria-label={table.label}
            aria-multiselectable={table.select !== undefined} aria-rowcount={table.rows.length + 1}>
            <Head table={table} />
            <tbody>
                {rows.map((row) => <Line key={row.id} table={table} row={row} />)}
            </tbody>
        </table>
    );
}

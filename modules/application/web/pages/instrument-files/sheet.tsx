// SPDX-License-Identifier: Apache-2.0
//
// The file in its own rows and columns, as the reader saw it: bad cells with their reason
// under them, and beside each row what would be written of it.
import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';

import type { Read } from '../../api/read.ts';
import { listen } from '../../keys/keyboard.ts';
import { columnOf, letterOf } from '../../nouns/file-reasons.ts';
import type { Reason } from '../../nouns/file-reasons.ts';
import { Code } from '../../parts/code.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';
import type { Written } from './preview.ts';

export type Sheet = Read<'/instrument-files/{id}/grid'>['sheets'][number];
type SheetRow = Sheet['rows'][number];

const texts = t.instrumentFiles;

// Columns that share the width of the page; a wider sheet is scrolled.
const fit = 6;

// Whether a cell is one long word, which is shown whole: the end of a tracking id matters most.
const isId = (cell: string | undefined): boolean => /^\S*\d\S*$/.test(cell ?? '')
    && (cell ?? '').length > 11;

function columnWidth(rows: SheetRow[], column: number, width: number): string | undefined {
    if (rows.some(({ cells }) => isId(cells[column]))) {
        return 'w-state';
    }
    return width > fit ? 'w-name' : undefined;
}

// A value that is, or would be, the result of a test or control.
export type Value = Pick<Written, 'testCode' | 'qualifier' | 'result' | 'unit' | 'qcControlId'>;

export interface Marked {
    // Open reasons of a row.
    reasons: (row: number) => Reason[];
    excluded: (row: number) => boolean;
    results: (row: number) => Value[];
    // Heading of the results: would be written, was written.
    title: string;
}

function told(written: Value): string {
    const value = [valueOf(written), written.unit ?? ''].filter(Boolean).join(' ');
    const text = [written.testCode, value].filter(Boolean).join(', ');
    return written.qcControlId === null ? text : texts.control(text);
}

function Would({ row, marked }: { row: number; marked: Marked }): ReactNode {
    const results = marked.results(row);
    const [first] = results;
    if (marked.reasons(row).length) {
        return <Status glyph="blocked" tone="blocked">{texts.notRead}</Status>;
    }
    if (marked.excluded(row)) {
        return <span className="quiet">{texts.leftOut}</span>;
    }
    return first ? (
        <Status glyph="ready" tone="ready">
            {results.length > 1 ? texts.andMore(told(first), results.length - 1) : told(first)}
        </Status>
    ) : null;
}

const cellClass = (cell: string | undefined, bad: boolean): string | undefined =>
    [bad ? 'v' : '', isId(cell) ? 'id' : ''].filter(Boolean).join(' ') || undefined;

function Why({ reason, column, width }: {
    reason: Reason; column: number; width: number;
}): ReactElement {
    const from = Math.max(column, 0);
    return (
        <tr className="why">
            <td />
            {from > 0 ? <td colSpan={from} /> : null}
            <td colSpan={width - from + 1}>
                {reason.message} <Code of={reason.code} />
            </td>
        </tr>
    );
}

interface LineProperties {
    row: SheetRow;
    width: number;
    here: boolean;
    marked: Marked;
    move: (row: number) => void;
}

function Line({ row, width, here, marked, move }: LineProperties): ReactElement {
    const line = useRef<HTMLTableRowElement>(null);
    const reasons = marked.reasons(row.row);
    const bad = new Set(reasons.map((reason) => columnOf(reason, row.cells)));

    useEffect(() => {
        const active = document.activeElement;
        if (here) {
            line.current?.scrollIntoView({ block: 'nearest' });
            if (active === document.body || active?.closest('table') !== null) {
                line.current?.focus({ preventScroll: true });
            }
        }
    }, [here]);
    return (
        <>
            <tr ref={line} tabIndex={here ? 0 : -1} data-row={row.row}
                className={[here ? 'cursor' : '', marked.excluded(row.row) ? 'off' : '']
                    .join(' ').trim() || undefined} onClick={() => move(row.row)}>
                <th scope="row" className="right quiet">
                    {row.row}{bad.has(-1) ? <span className="unseen">{texts.notRead}</span> : null}
                </th>
                {Array.from({ length: width }, (_, i) => (
                    <td key={i} className={cellClass(row.cells[i], bad.has(i))} title={row.cells[i]}
                        aria-invalid={bad.has(i) ? true : undefined}>
                        {row.cells[i]}
                        {bad.has(i) ? (
                            <span className="mark blocked"><Glyph name="blocked" /></span>
                        ) : null}
                    </td>
                ))}
                <td><Would row={row.row} marked={marked} /></td>
            </tr>
            {reasons.map((reason) => (
                <Why key={`${reason.code} ${reason.column}`} reason={reason} width={width}
                    column={columnOf(reason, row.cells)} />
            ))}
        </>
    );
}

interface Properties {
    name: string;
    sheet: Sheet;
    at: number | null;
    marked: Marked;
    move: (row: number) => void;
}

export function SheetTable({ name, sheet, at, marked, move }: Properties): ReactElement {
    const { rows } = sheet;
    const width = Math.max(1, ...rows.map(({ cells }) => cells.length));

    useEffect(() => {
        const go = (step: number) => () => {
            const here = rows.findIndex(({ row }) => row === at);
            const next = rows[Math.max(0, Math.min(rows.length - 1, here + step))];
            if (next) {
                move(next.row);
            }
        };
        return listen([
            { keys: 'j', run: go(1) }, { keys: 'ArrowDown', run: go(1) },
            { keys: 'k', run: go(-1) }, { keys: 'ArrowUp', run: go(-1) },
        ]);
    }, [rows, at, move]);
    return (
        <table className="grid" role="grid" aria-label={texts.asRead(name)}
            aria-rowcount={sheet.rowCount + 1}>
            <thead>
                <tr>
                    <th className="w-no" scope="col"><span className="unseen">{texts.row}</span></th>
                    {Array.from({ length: width }, (_, i) => (
                        <th key={i} scope="col" className={columnWidth(rows, i, width)}>
                            <strong>{letterOf(i)}</strong>
                        </th>
                    ))}
                    <th scope="col" className="w-long">{marked.title}</th>
                </tr>
            </thead>
            <tbody>
                {rows.map((row) => (
                    <Line key={row.row} row={row} width={width} here={row.row === at}
                        marked={marked} move={move} />
                ))}
            </tbody>
        </table>
    );
}

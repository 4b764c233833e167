// SPDX-License-Identifier: Apache-2.0
//
// The sheets of a file, a part of their rows at a time: the part in which the row at hand is.
import type { ReactElement } from 'react';

import type { Problem } from '../../api/problem.ts';
import { useRead } from '../../api/read.ts';
import type { Reason } from '../../nouns/file-reasons.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { t } from '../../texts/texts.ts';
import type { InstrumentFile } from './preview.ts';
import { SheetTable } from './sheet.tsx';
import type { Marked, Sheet } from './sheet.tsx';

const texts = t.instrumentFiles;
// Rows that are read at a time.
export const part = 200;

export const startOf = (row: number | null): number =>
    Math.floor(((row ?? 1) - 1) / part) * part + 1;

export interface FoundSheets {
    sheets: Sheet[];
    problem: string | null;
    error: Problem | null;
    waits: boolean;
}

// Reads the sheets that are not hidden, and `name` with them if a reason leads to a hidden one.
export function useSheets(
    file: InstrumentFile, name: string, row: number | null,
): FoundSheets {
    const enabled = file.contentRemovedAt === null;
    const query = { from: startOf(row), rows: part };
    const shown = useRead('/instrument-files/{id}/grid',
        { params: { path: { id: file.id }, query } }, { enabled });
    const isHidden = name !== '' && shown.data !== undefined
        && !shown.data.sheets.some((sheet) => sheet.name === name);
    const hidden = useRead('/instrument-files/{id}/grid',
        { params: { path: { id: file.id }, query: { ...query, sheet: name } } },
        { enabled: enabled && isHidden });
    return {
        sheets: [...shown.data?.sheets ?? [], ...isHidden && hidden.data ? hidden.data.sheets : []],
        problem: shown.data?.problem ?? null,
        error: shown.error ?? (isHidden ? hidden.error : null),
        waits: !shown.data || (isHidden && !hidden.data),
    };
}

function Choice({ sheets, sheet, show }: {
    sheets: Sheet[]; sheet: Sheet; show: (name: string) => void;
}): ReactElement | null {
    return sheets.length < 2 ? null : (
        <label>
            <span>{texts.sheets}</span>{' '}
            <select value={sheet.name} onChange={({ target }) => show(target.value)}>
                {sheets.map(({ name }) => <option key={name} value={name}>{name}</option>)}
            </select>
        </label>
    );
}

function Part({ sheet, from, move }: {
    sheet: Sheet; from: number; move: (row: number) => void;
}): ReactElement | null {
    const last = sheet.rows.at(-1)?.row ?? 0;
    return sheet.rowCount <= part ? null : (
        <>
            <span className="quiet">{texts.rowsShown(from, last, sheet.rowCount)}</span>
            {from > 1 ? <Button kind="row" onPress={() => move(from - 1)}>{texts.before}</Button>
                : null}
            {sheet.rows.length === part ? (
                <Button kind="row" onPress={() => move(from + part)}>{texts.after}</Button>
            ) : null}
        </>
    );
}

interface Properties {
    name: string;
    found: FoundSheets;
    sheet: Sheet | undefined;
    row: number | null;
    marked: Marked;
    // Reasons that are about no row.
    whole: Reason[];
    show: (name: string) => void;
    move: (row: number) => void;
}

export function SheetPane(pane: Properties): ReactElement {
    const { name: title, found, sheet, row, marked, whole, show, move } = pane;
    const { sheets, problem, error, waits } = found;
    return (
        <>
            {whole.map(({ code, message }) => (
                <p className="banner late" key={`${code} ${message}`}>
                    <Status glyph="blocked" tone="blocked">{message}</Status>
                    <Code of={code} />
                </p>
            ))}
            {problem && whole.length === 0 ? <p className="banner late">{problem}</p> : null}
            {waits && error ? <Refused problem={error} /> : null}
            {waits && !error ? <Waiting what={title} /> : null}
            {sheet && (sheets.length > 1 || sheet.rowCount > part) ? (
                <div className="banner">
                    <Choice sheets={sheets} sheet={sheet} show={show} />
                    <Part sheet={sheet} from={startOf(row)} move={move} />
                </div>
            ) : null}
            {sheet ? <SheetTable name={title} sheet={sheet} at={row} marked={marked}
                move={move} /> : null}
        </>
    );
}

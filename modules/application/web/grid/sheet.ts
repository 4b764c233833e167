// SPDX-License-Identifier: Apache-2.0
//
// The sheet of an entry grid: rows and columns of cells, as values that are never
// changed in place. A row that did not change is the same object, by which the page knows
// what to draw again. Values are text from the key to the record: nothing here calculates.

// A cell's place, counted from 0 over the rows and the columns that are entered.
export interface Place {
    readonly row: number;
    readonly column: number;
}

// A rectangle of cells, its last row and column included.
export interface Area {
    readonly top: number;
    readonly left: number;
    readonly bottom: number;
    readonly right: number;
}

// Settings of a run, such as its reagent lot. Null clears the record's, undefined leaves it.
export type Settings = Readonly<Record<string, string | number | null | undefined>>;

// Content that a person gave a cell; undo restores it.
export interface Content {
    readonly typed: string;
    // Settings of the run that do not hold for this cell, with those that do.
    readonly exceptions: Settings;
    // Reason for replacing an entered value.
    readonly reason: string;
    // Whether the value of a returned record was given once more as it is.
    readonly confirmed?: boolean;
}

export type Mark = 'none' | 'within' | 'outside' | 'attention' | 'refused';

// The service's judgement of a value.
export interface Opinion {
    readonly mark: Mark;
    // A few letters for the cell's edge, such as RL; empty: the mark's glyph.
    readonly word: string;
    // The reasons, in the service's words.
    readonly messages: readonly string[];
}

// The service's judgement of a value that is not saved.
export interface Verdict extends Opinion {
    // The question that was answered, as `question()` gives it: another text has no verdict.
    readonly question: string;
}

// Content of a record as the service last returned it.
export interface Version {
    readonly text: string;
    readonly opinion: Opinion | null;
    readonly exceptions: Settings;
    readonly etag: string;
    // Why nothing can be entered, in words; empty: it can be.
    readonly lock: string;
    // The limit of this value, in the service's words; empty: the column's.
    readonly limit: string;
    // Whether replacing it needs a reason, whatever the sheet says.
    readonly reasons?: boolean;
    // The value behind the text; absent: there is none, or the text is all of it.
    readonly entered?: {
        readonly result: string;
        readonly qualifier: '<' | '>' | 'ND' | 'J' | 'U' | null;
    };
    // The person who sent it back and the reason, in words; absent: nobody has. Its value is
    // entered again, were it the same one.
    readonly returned?: string;
}

// Key of a text in the catalogue, with the values that it contains.
export interface Remark {
    readonly code: string;
    readonly values: Readonly<Record<string, string | number>>;
}

// Progress of saving; whether a cell is edited, locked or in conflict follows from its other
// members.
export type Phase = 'idle' | 'saving' | 'waiting' | 'saved' | 'refused';

export interface Cell {
    // The record that is entered here; empty: nothing was ordered here.
    readonly id: string;
    readonly content: Content;
    readonly base: Version;
    // The record as somebody else has left it since; null: nobody has.
    readonly theirs: Version | null;
    readonly phase: Phase;
    // Reason why saving was refused, in the service's words.
    readonly refusal: string;
    readonly verdict: Verdict | null;
}

export interface Row {
    readonly key: string;
    // The name by which people know the row, such as a tracking id.
    readonly label: string;
    readonly kind: 'sample' | 'control';
    // Facts of the row that are shown and not entered, in the order of the sheet's heads.
    readonly facts: readonly string[];
    readonly cells: readonly Cell[];
    // Whether its values are numbers, where that is the row's to say and not the column's.
    readonly numeric?: boolean;
}

export interface Column {
    readonly key: string;
    readonly name: string;
    // Other names of the column in a pasted heading.
    readonly aliases: readonly string[];
    // The second line of the head: name, limit, reporting limit, unit.
    readonly hint: string;
    // Whether its values are numbers, for which a decimal comma is asked about.
    readonly numeric: boolean;
    // The longest text that a cell takes.
    readonly length: number;
    // CSS class of the width (w-…); absent: that of a value with its verdict.
    readonly className?: string;
    // Value that applies where a cell is empty, shown in grey.
    readonly fallback?: string;
    // Suggestions while a person types.
    readonly offers?: readonly string[];
    // Heading of the column; absent: the key.
    readonly title?: string;
    // Kind of the column's cells (samples or controls), where the columns differ and not the rows.
    readonly kind?: Row['kind'];
}

// Arrangement: a row for each sample, a column for each sample, or a row for each test.
export type Order = 'rows' | 'columns' | 'list';

export interface Head {
    readonly title: string;
    // CSS classes of the width (w-…) and of when it is hidden for want of room (p5 first).
    readonly className: string;
}

export interface Sheet {
    readonly name: string;
    // Headings of what is shown of each row: its label first, then the facts.
    readonly heads: readonly Head[];
    readonly columns: readonly Column[];
    readonly rows: readonly Row[];
    readonly settings: Settings;
    // Whether replacing an entered value needs a reason.
    readonly reasons: boolean;
    // Makes a row for what is pasted below the last; null: the rows are given.
    readonly grow: ((index: number) => Row) | null;
    // Absent: a row for each sample.
    readonly order?: Order;
}

export const EMPTY: Version = {
    text: '', opinion: null, exceptions: {}, etag: '', lock: '', limit: '',
};

// Returns a cell that shows a record as it was read.
export function cellOf(id: string, base: Version): Cell {
    return {
        id,
        content: { typed: base.text, exceptions: base.exceptions, reason: '' },
        base,
        theirs: null,
        phase: 'idle',
        refusal: '',
        verdict: null,
    };
}

export function cellAt(sheet: Sheet, place: Place): Cell | undefined {
    return sheet.rows[place.row]?.cells[place.column];
}

function sameSettings(a: Settings, b: Settings): boolean {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length
        && names.every((name) => name in b && a[name] === b[name]);
}

export const isNumeric = (row: Row | undefined, column: Column | undefined): boolean =>
    row?.numeric ?? column?.numeric ?? false;

export const kindOf = (row: Row, column: Column | undefined): Row['kind'] =>
    column?.kind ?? row.kind;

export const titleOf = ({ title, key }: Column): string => title ?? key;

// Whether a cell has settings of its own that are not entered.
export function isExcepted(cell: Cell): boolean {
    return !sameSettings(cell.content.exceptions, cell.base.exceptions);
}

// Whether the value of a returned record was given once more.
export function isConfirmed({ content, base }: Cell): boolean {
    return content.confirmed === true && base.returned !== undefined
        && content.typed === base.text;
}

// Whether a cell has something that the record does not.
export function isEdited(cell: Cell): boolean {
    return cell.content.typed !== cell.base.text || isExcepted(cell) || isConfirmed(cell);
}

// Whether a cell has something that nobody sends: it is not saved, and not refused either. A sheet
// without records, such as an order, has nothing to be told apart from.
export function isUnsaved(cell: Cell): boolean {
    return isEdited(cell) && cell.base.etag !== '' && cell.phase === 'idle' && !cell.theirs;
}

// Whether a cell waits to be entered again: its record was sent back.
export function isReturned(cell: Cell): boolean {
    return cell.base.returned !== undefined && cell.base.lock === '' && !isEdited(cell);
}

// Whether something can be entered: there is a record, and it is not locked.
export function isOpen(cell: Cell | undefined): cell is Cell {
    return cell !== undefined && cell.id !== '' && cell.base.lock === '';
}

// Whether a cell that replaces an entered value still lacks its reason.
export function needsReason(sheet: Sheet, cell: Cell): boolean {
    return (sheet.reasons || cell.base.reasons === true)
        && cell.base.text !== '' && isEdited(cell)
        && cell.content.reason.trim() === '';
}

// The settings that hold for a cell: the run's, but for its exceptions.
export function settingsOf(sheet: Sheet, cell: Cell): Settings {
    return { ...sheet.settings, ...cell.content.exceptions };
}

// Returns the question that a verdict answers: an answer to another question is stale.
export function question(sheet: Sheet, cell: Cell): string {
    const settings = settingsOf(sheet, cell);
    const named = Object.keys(settings).sort().map((name) => [name, settings[name]]);
    return JSON.stringify([cell.content.typed, ...named]);
}

// Returns the service's judgement of the present content of a cell; null: it has not been judged.
export function opinionOf(sheet: Sheet, cell: Cell): Opinion | null {
    if (!isEdited(cell)) {
        return cell.base.opinion;
    }
    return cell.verdict?.question === question(sheet, cell) ? cell.verdict : null;
}

// The places of an area, row by row.
export function placesOf(area: Area): Place[] {
    const places: Place[] = [];
    for (let row = area.top; row <= area.bottom; row++) {
        for (let column = area.left; column <= area.right; column++) {
            places.push({ row, column });
        }
    }
    return places;
}

// The area between two corners.
export function areaOf(a: Place, b: Place): Area {
    return {
        top: Math.min(a.row, b.row),
        left: Math.min(a.column, b.column),
        bottom: Math.max(a.row, b.row),
        right: Math.max(a.column, b.column),
    };
}

// The places of all cells that a condition holds for, row by row.
export function placesWhere(sheet: Sheet, holds: (cell: Cell) => boolean): Place[] {
    return sheet.rows.flatMap((row, r) =>
        row.cells.flatMap((cell, column) => (holds(cell) ? [{ row: r, column }] : [])),
    );
}

// Returns the sheet with some of its cells replaced; rows without any stay as they are.
export function withCells(sheet: Sheet, cells: readonly (readonly [Place, Cell])[]): Sheet {
    const changed = new Map<number, Cell[]>();
    for (const [place, cell] of cells) {
        const row = changed.get(place.row) ?? [...(sheet.rows[place.row]?.cells ?? [])];
        row[place.column] = cell;
        changed.set(place.row, row);
    }
    if (changed.size === 0) {
        return sheet;
    }
    const rows = [...sheet.rows];
    for (const [index, row] of changed) {
        const before = rows[index];
        if (before) {
            rows[index] = { ...before, cells: row };
        }
    }
    return { ...sheet, rows };
}

// Returns the sheet with as many rows as asked for, where it can grow.
export function withRows(sheet: Sheet, count: number): Sheet {
    if (!sheet.grow || count <= sheet.rows.length) {
        return sheet;
    }
    const rows = [...sheet.rows];
    while (rows.length < count) {
        rows.push(sheet.grow(rows.length));
    }
    return { ...sheet, rows };
}

// SPDX-License-Identifier: Apache-2.0
//
// Applies answers of the service to a sheet. Answers may come late and in any order: they name
// records, never places, and never overwrite what somebody has typed since.
import {
    type Cell, type Content, type Place, type Sheet, type Verdict, type Version,
    cellAt, isConfirmed, isEdited, isExcepted, question, withCells,
} from './sheet.ts';
import { type Change, type Model, write } from './model.ts';

// Returns the place of each record of a sheet.
export function placesById(sheet: Sheet): Map<string, Place> {
    const places = new Map<string, Place>();
    sheet.rows.forEach((row, r) =>
        row.cells.forEach((cell, column) => cell.id && places.set(cell.id, { row: r, column })),
    );
    return places;
}

type Mend = (cell: Cell) => Cell;

function mended(model: Model, mends: ReadonlyMap<string, Mend>): Model {
    const places = mends.size > 0 ? placesById(model.sheet) : new Map<string, Place>();
    const cells: (readonly [Place, Cell])[] = [];
    for (const [id, mend] of mends) {
        const place = places.get(id);
        const cell = place && cellAt(model.sheet, place);
        if (place && cell) {
            const after = mend(cell);
            if (after !== cell) {
                cells.push([place, after]);
            }
        }
    }
    const sheet = withCells(model.sheet, cells);
    return sheet === model.sheet ? model : { ...model, sheet };
}

function each<T>(
    entries: Iterable<readonly [string, T]>, mend: (cell: Cell, value: T) => Cell,
): Map<string, Mend> {
    return new Map([...entries].map(([id, value]) => [id, (cell: Cell) => mend(cell, value)]));
}

// Takes verdicts; those about a text or a setting that has changed since are dropped.
export function judged(model: Model, verdicts: ReadonlyMap<string, Verdict>): Model {
    return mended(
        model,
        each(verdicts, (cell, verdict) =>
            verdict.question === question(model.sheet, cell) ? { ...cell, verdict } : cell,
        ),
    );
}

// Says that cells are on their way, or wait until the service can be reached.
export function onTheirWay(
    model: Model, ids: readonly string[], phase: 'saving' | 'waiting',
): Model {
    return mended(model, each(ids.map((id) => [id, phase]),
        (cell) => ({ ...cell, phase, refusal: '' })));
}

// Says that sending was given up, and nothing was entered.
export function givenBack(model: Model, ids: readonly string[]): Model {
    return mended(model, each(ids.map((id) => [id, id]), (cell) => ({ ...cell, phase: 'idle' })));
}

// Takes what was saved. Somebody who has typed on since keeps that, as the next edit.
export function saved(
    model: Model, versions: ReadonlyMap<string, Version>, sent: ReadonlyMap<string, Content>,
): Model {
    return mended(
        model,
        each(versions, (cell, version) => {
            const content = sent.get(cell.id);
            const untouched = content !== undefined && content.typed === cell.content.typed &&
                content.exceptions === cell.content.exceptions;
            const base = { ...version, exceptions: content?.exceptions ?? version.exceptions };
            return {
                ...cell,
                base,
                theirs: null,
                content: untouched
                    ? { typed: version.text, exceptions: base.exceptions, reason: '' }
                    : { ...cell.content, reason: '' },
                phase: untouched ? 'saved' : 'idle',
                refusal: '',
            };
        }),
    );
}

// Takes refusals, in the service's words. What was typed stays.
export function refused(model: Model, refusals: ReadonlyMap<string, string>): Model {
    return mended(model, each(refusals,
        (cell, refusal) => ({ ...cell, phase: 'refused', refusal })));
}

// A cell whose record somebody else has changed: another value, or a lock, is a conflict, and so is
// the same value where settings for this cell alone are not entered yet.
function met(cell: Cell, read: Version): Cell {
    // The service does not tell exceptions from settings of the run: this page knows them.
    const version = { ...read, exceptions: cell.base.exceptions };
    const asRead = cell.content.typed === version.text && !isExcepted(cell)
        && !(isConfirmed(cell) && version.returned !== undefined);
    if (!isEdited(cell) || asRead) {
        const content = { typed: version.text, exceptions: version.exceptions, reason: '' };
        return { ...cell, base: version, theirs: null, content, phase: 'idle', refusal: '' };
    }
    if (version.text === cell.base.text && version.lock === '') {
        return { ...cell, base: version, theirs: null, phase: 'idle' };
    }
    return { ...cell, theirs: version, phase: 'idle' };
}

// Takes records as they are now, by somebody else's hand. Those on their way are left alone.
export function changedByOthers(model: Model, versions: ReadonlyMap<string, Version>): Model {
    return mended(
        model,
        each(versions,
            (cell, version) => (version.etag === cell.base.etag ? cell : met(cell, version))),
    );
}

// Settles a conflict by one's own value, which then replaces theirs.
export function keepMine(model: Model, id: string): Model {
    return mended(
        model,
        each([[id, id]], (cell) =>
            cell.theirs
                ? { ...cell, base: cell.theirs, theirs: null, phase: 'idle', refusal: '' }
                : cell,
        ),
    );
}

// Settles a conflict by their value; one's own comes back by undo.
export function takeTheirs(model: Model, id: string): Model {
    const place = placesById(model.sheet).get(id);
    const theirs = place && cellAt(model.sheet, place)?.theirs;
    if (!place || !theirs) {
        return model;
    }
    const { text: typed, exceptions } = theirs;
    const changes: Change[] = [{
        place, content: { typed, exceptions, reason: '', confirmed: false },
    }];
    return keepMine(write(model, changes), id);
}

// SPDX-License-Identifier: Apache-2.0
//
// State transitions of a grid: each act of a person gives the next state, without page and without
// service. The desk (desk.ts) sends what changed to the service.
import * as answers from './answers.ts';
import { cleared, copied, filledDown } from './copy.ts';
import * as cursors from './cursor.ts';
import type { Heading } from './heading.ts';
import type { Command, Mode } from './keys.ts';
import { isProblem, lookOf } from './look.ts';
import * as models from './model.ts';
import { type Comma, type PasteRemark, planPaste } from './paste.ts';
import {
    type Area, type Cell, type Place, type Remark, type Settings, type Sheet,
    cellAt, isOpen, isReturned, needsReason, placesOf, placesWhere,
} from './sheet.ts';

export interface State {
    readonly model: models.Model;
    readonly cursor: cursors.Cursor;
    readonly mode: Mode;
    readonly comma: Comma;
    // A paste that is waiting for the meaning of its commas.
    readonly asking: {
        readonly text: string; readonly chosen: Heading | undefined;
        readonly examples: readonly string[];
    } | null;
    // Whether a reason is asked for, for all cells that need one.
    readonly reasoning: boolean;
    // Cells of the last paste that were left out.
    readonly remarks: readonly PasteRemark[];
    // Announcement for screen readers about the last act.
    readonly said: Remark | null;
}

export type Act = (state: State) => State;

export function begin(sheet: Sheet): State {
    return {
        model: models.modelOf(sheet),
        cursor: cursors.cursorAt(cursors.entrance(sheet)),
        mode: 'ready',
        comma: 'ask',
        asking: null,
        reasoning: false,
        remarks: [],
        said: null,
    };
}

export function selection(state: State): Area {
    return cursors.selected(state.cursor);
}

function write(state: State, changes: readonly models.Change[]): State {
    return { ...state, model: models.write(state.model, changes), mode: 'ready' };
}

function leave(state: State): State {
    return { ...state, model: models.leave(state.model), mode: 'ready' };
}

// --- Keys

// Carries out a key command; null: the grid has no use for it, such as Tab behind the last cell.
export function press(state: State, command: Command, page: number): State | null {
    switch (command.do) {
        case 'undo':
            return stepped(state, models.undo(state.model), state.model.done.at(-1));
        case 'redo':
            return stepped(state, models.redo(state.model), state.model.undone.at(-1));
        case 'restore':
            return restored(state);
        case 'clear':
            return write(state, cleared(state.model.sheet, selection(state)));
        case 'fill':
            return write(state, filledDown(state.model.sheet, selection(state)));
        case 'confirm':
            return confirmed(state);
        case 'reason':
            return { ...leave(state), reasoning: true };
        case 'edit':
            return { ...state, mode: 'editing' };
        case 'ready':
            return { ...state, mode: 'ready' };
        case 'leave':
        case 'save':
            return null;
        default:
            return gone(state, command, page);
    }
}

// Gives the values of the selected returned cells once more; null: none of them was sent back.
function confirmed(state: State): State | null {
    const { sheet } = state.model;
    const changes = placesOf(selection(state)).flatMap((place) => {
        const cell = cellAt(sheet, place);
        return isOpen(cell) && isReturned(cell) ? [{ place, content: { confirmed: true } }] : [];
    });
    return changes.length > 0 ? write(state, changes) : null;
}

export const confirm: Act = (state) => confirmed(state) ?? state;

function stepped(state: State, model: models.Model, step?: models.Step): State {
    const place = step?.[0]?.place;
    const cursor = place ? cursors.cursorAt(place) : state.cursor;
    return { ...state, model, cursor, mode: 'ready' };
}

function restored(state: State): State | null {
    const { asking, reasoning, mode, model } = state;
    const something = asking !== null || reasoning || mode !== 'ready' || model.typing !== null;
    return something
        ? { ...state, model: models.restore(model), asking: null, reasoning: false, mode: 'ready' }
        : null;
}

function gone(state: State, command: Command, page: number): State | null {
    const { sheet } = state.model;
    if (command.do === 'selectAll') {
        const last = cursors.edge(sheet, state.cursor.at, true, true);
        return { ...leave(state), cursor: { at: last, from: { row: 0, column: 0 } } };
    }
    const place = target(sheet, state.cursor.at, command, page);
    const extend = 'extend' in command && command.extend;
    return place && { ...leave(state), cursor: cursors.to(state.cursor, place, extend) };
}

function target(sheet: Sheet, at: Place, command: Command, page: number): Place | null {
    switch (command.do) {
        case 'move':
            return cursors.moved(sheet, at, command.to, command.far);
        case 'page':
            return cursors.paged(sheet, at, command.down ? page : -page);
        case 'edge':
            return cursors.edge(sheet, at, command.end, command.whole);
        case 'next':
            return command.by === 'row'
                ? cursors.nextInColumn(sheet, at, command.back)
                : cursors.nextOpen(sheet, at, command.back);
        case 'problem':
            return nextProblem(sheet, at, command.back);
        default:
            return null;
    }
}

// Goes to the next problem, from the last one to the first; without any the cursor stays.
function nextProblem(sheet: Sheet, at: Place, back: boolean): Place {
    const troubled = (cell: Cell): boolean => isProblem(lookOf(sheet, cell).kind);
    const start = back ? { row: sheet.rows.length, column: 0 } : { row: 0, column: -1 };
    return cursors.nextWhere(sheet, at, back, troubled)
        ?? cursors.nextWhere(sheet, start, back, troubled) ?? at;
}

// --- The cell with the cursor

// Takes its text, after each key.
export function type(text: string): Act {
    return (state) => ({
        ...state,
        model: models.type(state.model, state.cursor.at, text),
        mode: state.mode === 'ready' ? 'typing' : state.mode,
    });
}

// Puts the cursor into a cell, or extends the selection to it.
export function point(at: Place, extend: boolean): Act {
    return (state) => ({ ...leave(state), cursor: cursors.to(state.cursor, at, extend) });
}

// A second click into the cell places the caret.
export const caret: Act = (state) => ({ ...state, mode: 'editing' });

// --- Blocks

export function copy(state: State): string {
    return copied(state.model.sheet, selection(state));
}

export const clear: Act = (state) => write(state, cleared(state.model.sheet, selection(state)));

export function paste(text: string, chosen?: Heading): Act {
    return (state) => {
        const plan = planPaste(state.model.sheet, text, selection(state), state.comma, chosen);
        switch (plan.kind) {
            case 'refused':
                return { ...state, asking: null, said: plan.remark };
            case 'comma':
                return { ...leave(state), asking: { text, chosen, examples: plan.examples } };
            case 'planned': {
                const left = plan.remarks.length;
                const said = { code: 'pasted', values: { cells: plan.given - left, left } };
                const cursor = plan.area ? cornersOf(plan.area) : state.cursor;
                const next = write(state, plan.changes);
                return { ...next, asking: null, remarks: plan.remarks, said, cursor };
            }
        }
    };
}

function cornersOf(area: Area): cursors.Cursor {
    return {
        at: { row: area.top, column: area.left },
        from: { row: area.bottom, column: area.right },
    };
}

// Says what commas mean, for this and every later paste; null: nothing is pasted.
export function answerComma(comma: Exclude<Comma, 'ask'> | null): Act {
    return (state) => {
        const { asking } = state;
        const next = { ...state, asking: null, ...(comma ? { comma } : {}) };
        return asking && comma ? paste(asking.text, asking.chosen)(next) : next;
    };
}

// --- Settings, reasons, conflicts

// Settings of the run, for everything that is entered from now on.
export function set(settings: Settings): Act {
    return (state) => ({ ...state, model: models.set(state.model, settings) });
}

// Settings of the selected cells alone.
export function except(exceptions: Settings): Act {
    return (state) => write(state, placesOf(selection(state)).flatMap((place) => {
        const cell = cellAt(state.model.sheet, place);
        return cell && isOpen(cell)
            ? [{ place, content: { exceptions: { ...cell.content.exceptions, ...exceptions } } }]
            : [];
    }));
}

export function lackingReason(state: State): Place[] {
    const { sheet } = state.model;
    return placesWhere(sheet, (cell) => isOpen(cell) && !cell.theirs && needsReason(sheet, cell));
}

// Gives a reason to every cell that needs one.
export function reason(text: string): Act {
    return (state) => {
        const changes = lackingReason(state).map((place) => ({ place, content: { reason: text } }));
        return { ...write(state, changes), reasoning: false };
    };
}

export const dismissReason: Act = (state) => ({ ...state, reasoning: false });

export function keepMine(id: string): Act {
    return (state) => ({ ...state, model: answers.keepMine(state.model, id) });
}

export function takeTheirs(id: string): Act {
    return (state) => ({ ...state, model: answers.takeTheirs(state.model, id) });
}

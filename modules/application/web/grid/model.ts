// SPDX-License-Identifier: Apache-2.0
//
// An entry grid's state: the sheet, and the steps that undo and redo go through.
// What somebody types into a cell until it is left is one step, and so is a paste of any
// size. What the service answers is no step: undo gives back what was typed, never a state.
import {
    type Cell, type Content, type Place, type Settings, type Sheet,
    cellAt, isOpen, withCells, withRows,
} from './sheet.ts';

// New content of a cell; members that are absent stay as they are.
export interface Change {
    readonly place: Place;
    readonly content: Partial<Content>;
}

interface Effect {
    readonly place: Place;
    readonly before: Content;
    readonly after: Content;
}

export type Step = readonly Effect[];

export interface Model {
    readonly sheet: Sheet;
    readonly done: readonly Step[];
    readonly undone: readonly Step[];
    // The cell that is being typed into: its step, the last one done, still grows.
    readonly typing: Place | null;
}

// Number of steps that can be undone.
const STEPS = 500;

export function modelOf(sheet: Sheet): Model {
    return { sheet, done: [], undone: [], typing: null };
}

function same(a: Place | null, b: Place): boolean {
    return a !== null && a.row === b.row && a.column === b.column;
}

function said(a: Content, b: Content): boolean {
    return a.typed === b.typed && a.exceptions === b.exceptions
        && (a.confirmed ?? false) === (b.confirmed ?? false);
}

function equal(a: Content, b: Content): boolean {
    return said(a, b) && a.reason === b.reason;
}

// A cell with other content: what was said of the former content no longer holds.
function filled(cell: Cell, content: Content): Cell {
    const fresh = !said(cell.content, content) && ['refused', 'saved'].includes(cell.phase);
    return { ...cell, content, ...(fresh ? { phase: 'idle', refusal: '' } : {}) };
}

// A returned record's own value, typed or pasted once more, confirms it.
function withContent({ base }: Cell, before: Content, content: Partial<Content>): Content {
    const again = base.returned !== undefined && content.typed === base.text;
    return { ...before, ...(again ? { confirmed: true } : {}), ...content };
}

function effectsOf(sheet: Sheet, changes: readonly Change[]): Effect[] {
    return changes.flatMap(({ place, content }) => {
        const cell = cellAt(sheet, place);
        const after = cell && withContent(cell, cell.content, content);
        return isOpen(cell) && after && !equal(cell.content, after)
            ? [{ place, before: cell.content, after }]
            : [];
    });
}

function applied(sheet: Sheet, step: Step, side: 'before' | 'after'): Sheet {
    return withCells(
        sheet,
        step.flatMap((effect) => {
            const cell = cellAt(sheet, effect.place);
            return isOpen(cell) ? [[effect.place, filled(cell, effect[side])] as const] : [];
        }),
    );
}

// Changes any number of cells as one step. Cells that are locked stay as they are.
export function write(model: Model, changes: readonly Change[]): Model {
    const last = changes.reduce((most, change) => Math.max(most, change.place.row + 1), 0);
    const sheet = withRows(model.sheet, last);
    const step = effectsOf(sheet, changes);
    if (step.length === 0) {
        return sheet === model.sheet ? leave(model) : { ...leave(model), sheet };
    }
    return {
        sheet: applied(sheet, step, 'after'),
        done: [...model.done, step].slice(-STEPS),
        undone: [],
        typing: null,
    };
}

// Takes what stands in the cell that somebody types into, after each key.
export function type(model: Model, place: Place, typed: string): Model {
    const growing = same(model.typing, place) ? model.done.at(-1)?.[0] : undefined;
    const cell = cellAt(model.sheet, place);
    if (!growing || !cell) {
        const next = write(model, [{ place, content: { typed } }]);
        return next.done === model.done ? next : { ...next, typing: place };
    }
    const after = withContent(cell, growing.after, { typed });
    if (equal(growing.before, after)) {
        return restore(model);
    }
    return {
        ...model,
        sheet: applied(model.sheet, [{ ...growing, after }], 'after'),
        done: [...model.done.slice(0, -1), [{ ...growing, after }]],
    };
}

// Ends typing: what is typed next is a step of its own.
export function leave(model: Model): Model {
    return model.typing === null ? model : { ...model, typing: null };
}

// Gives the cell back what it had before somebody began to type; no step remains.
export function restore(model: Model): Model {
    const step = model.typing && model.done.at(-1);
    return step
        ? {
              ...model,
              sheet: applied(model.sheet, step, 'before'),
              done: model.done.slice(0, -1),
              typing: null,
          }
        : model;
}

export function undo(model: Model): Model {
    const step = model.done.at(-1);
    return step
        ? {
              sheet: applied(model.sheet, step, 'before'),
              done: model.done.slice(0, -1),
              undone: [...model.undone, step],
              typing: null,
          }
        : model;
}

export function redo(model: Model): Model {
    const step = model.undone.at(-1);
    return step
        ? {
              sheet: applied(model.sheet, step, 'after'),
              done: [...model.done, step],
              undone: model.undone.slice(0, -1),
              typing: null,
          }
        : model;
}

// Sets what holds for the whole run, as a form does: it is no step.
export function set(model: Model, settings: Settings): Model {
    const { sheet } = model;
    return { ...model, sheet: { ...sheet, settings: { ...sheet.settings, ...settings } } };
}

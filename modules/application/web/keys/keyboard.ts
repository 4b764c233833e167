// SPDX-License-Identifier: Apache-2.0
//
// The keys of the application, taken before any component sees them. Letters that follow
// each other within 30 ms are a scan: they go to the scan box wherever the focus is, and
// fire no shortcut, choose nothing in a list and fill no field but those that take scans.
// Keys and clicks take effect in the order of their times, however late the page gets to them:
// each sees what the one before has done.
import { flushSync } from 'react-dom';

import { chosen } from '../theme/choice.ts';
import { endsScan, goesOn, isLabel, isOneLabel, isScan, none, pause, scannedText, typed } from './scan.ts';
import type { Burst } from './scan.ts';

export interface Shortcut {
    keys: string;
    run: () => void;
}

type Field = HTMLInputElement | HTMLTextAreaElement;
// A control whose value letters change: a text, or the choice of a list.
type Changed = Field | HTMLSelectElement;

interface Before {
    field: Changed;
    value: string;
}

let burst: Burst = none;
// Whether the burst may begin a scan, but is no shortcut.
let silent = false;
let before: Before | null = null;
// Burst of keys in a field that takes scans by itself.
let kept: Burst = none;
let keptBefore: Before | null = null;
let waiting: ReturnType<typeof setTimeout> | undefined;
const layers: Shortcut[][] = [];
const takers: ((text: string) => void)[] = [];

// The newest layer comes first: a dialog's keys before those of the page below it.
export function listen(shortcuts: Shortcut[]): () => void {
    layers.push(shortcuts);
    return () => {
        layers.splice(layers.indexOf(shortcuts), 1);
    };
}

// Registers a receiver of scans. The newest receives them: a page for receiving bottles comes
// before the scan box.
export function onScan(take: (text: string) => void): () => void {
    takers.push(take);
    return () => {
        takers.splice(takers.indexOf(take), 1);
    };
}

function fieldOf(target: EventTarget | null): Field | null {
    const text = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement
        && !['checkbox', 'radio', 'button', 'submit'].includes(target.type));
    return text ? target : null;
}

export function keysOf(event: KeyboardEvent): string {
    const modifier = event.metaKey || event.ctrlKey ? 'Mod+' : '';
    const key = event.key === ' ' ? 'Space' : event.key;
    const shift = event.shiftKey && key.length > 1 ? 'Shift+' : '';
    return modifier + shift + key;
}

function find(keys: string): Shortcut | undefined {
    for (let i = layers.length - 1; i >= 0; i--) {
        const found = layers[i]?.find((shortcut) => shortcut.keys === keys);
        if (found) {
            return found;
        }
    }
    return undefined;
}

// Whether the page on screen does something with these keys.
export const isTaken = (keys: string): boolean => find(keys) !== undefined;

function prototypeOf(field: Changed): object {
    return field instanceof HTMLSelectElement ? HTMLSelectElement.prototype
        : field instanceof HTMLInputElement ? HTMLInputElement.prototype
            : HTMLTextAreaElement.prototype;
}

// Puts a value into a field or a list, such as the one that stood there before a scan.
function restore(changed: Before | null): void {
    if (!changed || changed.field.value === changed.value) {
        return;
    }
    const { field, value } = changed;
    Object.getOwnPropertyDescriptor(prototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event(
        field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

function finishScan(): void {
    clearTimeout(waiting);
    const text = scannedText(burst.text);
    restore(before);
    burst = none;
    before = null;
    takers.at(-1)?.(text);
}

// Draws at once what the shortcut has changed, so that the next key acts on that.
const runNow = (shortcut: Shortcut | undefined): void => flushSync(() => shortcut?.run());

function finishTyping(): void {
    const text = burst.text;

    clearTimeout(waiting);
    if (isScan(burst)) {
        finishScan();
        return;
    }
    burst = none;
    if (!before && !silent) {
        // Space is no character that somebody says or hits by mistake: it cannot be turned off.
        [...text].filter((character) => character === ' ' || chosen().singleKeys !== 'off')
            .forEach((character) => runNow(find(character === ' ' ? 'Space' : character)));
    }
    before = null;
}

// Handles what was typed before, if this event is not in the same burst: the timer may be late.
function settle(event: Event): boolean {
    const due = burst.text !== '' && !goesOn(burst, event.timeStamp);
    if (due) {
        finishTyping();
    }
    return due;
}

// `quietly`: it may begin a scan, but is no shortcut.
function takeCharacter(event: KeyboardEvent, field: Changed | null, quietly: boolean): void {
    const next = typed(burst, event.key, event.timeStamp);
    if (next.text.length === 1) {
        before = field ? { field, value: field.value } : null;
    }
    burst = next;
    silent = quietly;
    clearTimeout(waiting);
    waiting = setTimeout(finishTyping, pause + 5);
    if (!field && !quietly) {
        swallow(event);
    }
}

// Whether a control with the focus uses the key itself: letters and arrows choose in a menu or
// list, Space and Enter press a button.
function hasOwnKeys(target: Element, key: string): boolean {
    if (key === ' ' || key === 'Enter') {
        // Enter does nothing to a box but send its form.
        const boxes = key === ' ' ? '' : 'form ';
        return target.closest('button, a, select, summary, [role=menuitem], [role=option], '
            + `[role=tab], ${boxes}input[type=checkbox], ${boxes}input[type=radio]`) !== null;
    }
    if (key.startsWith('Arrow') || key === 'Home' || key === 'End') {
        return target.closest('select, [role=menu], [role=listbox], [role=tablist], '
            + '[role=combobox]') !== null;
    }
    return target.closest('select, [role=menu], [role=listbox]') !== null;
}

// Keys that are shortcuts in fields, too.
const everywhere = ['Escape', 'F1', 'F7'];
// Shortcuts that text fields handle themselves.
const ofText = ['Mod+a', 'Mod+c', 'Mod+v', 'Mod+x', 'Mod+z'];

const inDialog = (target: Element): boolean => target.closest('[role=dialog]') !== null;

// A field that takes scans by itself, or a password, which may be typed as fast by a program.
const takesScans = (field: Field): boolean =>
    field.type === 'password' || field.closest('[data-scanned]') !== null;

const isCommand = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

const isPlain = (event: KeyboardEvent): boolean =>
    event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;

// A shortcut of its own, unless a label is being read.
const isShiftedSpace = (event: KeyboardEvent): boolean =>
    event.key === ' ' && event.shiftKey && burst.text === '';

function fire(event: KeyboardEvent, target: Element, field: Field | null): void {
    if (burst.text !== '' && !['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) {
        finishTyping();
    }
    const keys = keysOf(event);
    const free = !field || isCommand(event) && !ofText.includes(keys)
        || everywhere.includes(event.key);
    const own = !isCommand(event) && hasOwnKeys(target, event.key);
    const shortcut = free && !inDialog(target) && !own ? find(keys) : undefined;
    if (shortcut) {
        swallow(event);
        runNow(shortcut);
    }
}

const ends = (event: KeyboardEvent, scan: Burst): boolean =>
    (event.key === 'Enter' || event.key === 'Tab') && endsScan(scan, event.timeStamp);

function swallow(event: KeyboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
}

// A field that takes scans keeps what was read, and nothing else if it says that it takes a
// label as a whole (data-scanned="whole"). In a dialog the Enter behind it sends
// nothing; and a label is no password, which would be counted as a wrong one.
function pressInOwn(event: KeyboardEvent, field: Field): void {
    if (isPlain(event)) {
        kept = typed(kept, event.key, event.timeStamp);
        keptBefore = kept.text.length === 1 ? { field, value: field.value } : keptBefore;
    } else if (ends(event, kept)) {
        const label = scannedText(kept.text);
        kept = none;
        if (field.dataset['scanned'] === 'whole') {
            restore({ field, value: label });
        }
        if (field.type === 'password' && isLabel(label)) {
            swallow(event);
            restore(keptBefore);
            takers.at(-1)?.(label);
        } else if (event.key === 'Enter' && field.type !== 'password' && inDialog(field)) {
            swallow(event);
        }
    }
}

export function press(event: KeyboardEvent): void {
    if (event.isComposing || event.defaultPrevented) {
        return;
    }
    // A key typed before may have moved the focus: the browser writes this one there.
    const moved = !ends(event, burst) && settle(event) ? document.activeElement : event.target;
    const target = moved instanceof Element ? moved : document.body;
    const field = fieldOf(target);

    if (field && takesScans(field) && !isCommand(event) && !everywhere.includes(event.key)) {
        pressInOwn(event, field);
    } else if (ends(event, burst)) {
        swallow(event);
        finishScan();
    } else if (isPlain(event) && !field && (event.repeat || isShiftedSpace(event))) {
        fire(event, target, field);
    } else if (isPlain(event) && !hasOwnKeys(target, event.key)) {
        takeCharacter(event, field, inDialog(target));
    } else if (isPlain(event) && event.key !== ' ') {
        // A letter chooses in a menu or list, unless it begins a scan.
        takeCharacter(event, target instanceof HTMLSelectElement ? target : null, true);
    } else {
        fire(event, target, field);
    }
}

// Takes a label that was copied, such as out of a client's letter, where nothing is typed.
function paste(event: ClipboardEvent): void {
    const target = event.target instanceof Element ? event.target : document.body;
    const text = scannedText(event.clipboardData?.getData('text/plain') ?? '');
    if (!event.defaultPrevented && !fieldOf(target) && !inDialog(target) && isOneLabel(text)) {
        event.preventDefault();
        takers.at(-1)?.(text);
    }
}

export function startKeyboard(): void {
    window.addEventListener('keydown', press, { capture: true });
    window.addEventListener('pointerdown', settle, { capture: true });
    window.addEventListener('paste', paste);
}

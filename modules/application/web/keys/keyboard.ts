// SPDX-License-Identifier: Apache-2.0
//
// The keys of the application, taken before any component sees them. Letters that follow
// each other within 30 ms are a scan: they go to the scan box wherever the focus is, and
// fire no shortcut and fill no field.
import { chosen } from '../theme/choice.ts';
import { endsScan, isScan, none, pause, scannedText, typed } from './scan.ts';
import type { Burst } from './scan.ts';

export interface Shortcut {
    keys: string;
    run: () => void;
}

type Field = HTMLInputElement | HTMLTextAreaElement;

interface Before {
    field: Field;
    value: string;
}

let burst: Burst = none;
let before: Before | null = null;
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

// Who takes scans: the newest, such as a page that receives bottles, before the scan box.
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

// A scan that began in a field is taken out of it again.
function restore(): void {
    if (!before) {
        return;
    }
    const { field, value } = before;
    const prototype = field instanceof HTMLInputElement
        ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
}

function finishScan(): void {
    clearTimeout(waiting);
    const text = scannedText(burst.text);
    restore();
    burst = none;
    before = null;
    takers.at(-1)?.(text);
}

function finishTyping(silent: boolean): void {
    const text = burst.text;

    if (isScan(burst)) {
        finishScan();
        return;
    }
    burst = none;
    if (!before && !silent && chosen().singleKeys !== 'off') {
        [...text].forEach((character) => find(character === ' ' ? 'Space' : character)?.run());
    }
    before = null;
}

// `silent`: it may begin a scan, but is no shortcut.
function takeCharacter(event: KeyboardEvent, field: Field | null, silent: boolean): void {
    const next = typed(burst, event.key, event.timeStamp);
    if (next.text.length === 1) {
        before = field ? { field, value: field.value } : null;
    }
    burst = next;
    clearTimeout(waiting);
    waiting = setTimeout(() => finishTyping(silent), pause + 5);
    if (!field && !silent) {
        event.preventDefault();
        event.stopPropagation();
    }
}

// Own keys of a control that has the focus: letters and arrows choose in a menu or list,
// Space and Enter press a button.
function hasOwnKeys(target: Element, key: string): boolean {
    if (key === ' ' || key === 'Enter') {
        return target.closest('button, a, select, summary, [role=menuitem], [role=option], '
            + '[role=tab], input[type=checkbox], input[type=radio]') !== null;
    }
    if (key.startsWith('Arrow') || key === 'Home' || key === 'End') {
        return target.closest('select, [role=menu], [role=listbox], [role=tablist], '
            + '[role=combobox]') !== null;
    }
    return target.closest('select, [role=menu], [role=listbox]') !== null;
}

// Keys that no field takes for itself.
const everywhere = ['Escape', 'F1'];

const inDialog = (target: Element): boolean => target.closest('[role=dialog]') !== null;

// A field that takes scans by itself, or a password, which no scan belongs in.
const takesScans = (target: Element): boolean => target.closest('[data-scanned]') !== null;

const isCommand = (event: KeyboardEvent): boolean => event.ctrlKey || event.metaKey;

const isPlain = (event: KeyboardEvent): boolean =>
    event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;

function fire(event: KeyboardEvent, target: Element, field: Field | null): void {
    if (burst.text !== '' && !['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) {
        // What was typed before comes before.
        clearTimeout(waiting);
        finishTyping(inDialog(target));
    }
    const free = !field || isCommand(event) || everywhere.includes(event.key);
    const own = !isCommand(event) && hasOwnKeys(target, event.key);
    const shortcut = free && !inDialog(target) && !own
        ? find(keysOf(event)) : undefined;
    if (shortcut) {
        event.preventDefault();
        event.stopPropagation();
        shortcut.run();
    }
}

export function press(event: KeyboardEvent): void {
    const target = event.target instanceof Element ? event.target : document.body;
    const field = fieldOf(target);

    if (event.isComposing || event.defaultPrevented || (field && takesScans(target)
        && !isCommand(event) && !everywhere.includes(event.key))) {
        return;
    }
    if ((event.key === 'Enter' || event.key === 'Tab') && endsScan(burst, event.timeStamp)) {
        event.preventDefault();
        event.stopPropagation();
        finishScan();
    } else if (isPlain(event) && event.repeat && !field) {
        fire(event, target, field);
    } else if (isPlain(event) && !hasOwnKeys(target, event.key)) {
        takeCharacter(event, field, inDialog(target));
    } else {
        fire(event, target, field);
    }
}

export function startKeyboard(): void {
    window.addEventListener('keydown', press, { capture: true });
}

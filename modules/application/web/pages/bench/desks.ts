// SPDX-License-Identifier: Apache-2.0
//
// The desks of this tab. One with cells that are not saved stays when its page is left, and is
// found again; another person's are never shown.
import { ownerOf } from '../../api/session.ts';
import { Desk } from '../../grid/desk.ts';
import { sum } from '../../grid/look.ts';
import type { Sheet } from '../../grid/sheet.ts';
import { leaveUnfinished } from '../../shell/unfinished.ts';
import { t } from '../../texts/texts.ts';
import { ControlDesk } from './control-desk.ts';
import type { Control } from './run.ts';
import { portsOf } from './service.ts';

const texts = t.bench;

const desks = new Map<string, Desk>();

const keyOf = (run: string): string => `${ownerOf()} ${run}`;

// Ends the subscription to a desk that was left.
const left = new Map<Desk, () => void>();

// The desk that was left with something unsaved.
export function keptDesk(run: string, href: string): Desk | undefined {
    const desk = desks.get(keyOf(run));
    comeBack(desk, href);
    return desk;
}

export function openDesk(run: string, sheet: Sheet, controls: readonly Control[]): Desk {
    const desk = new Desk(sheet, portsOf(ownerOf(), new ControlDesk(controls)));
    desks.set(keyOf(run), desk);
    return desk;
}

// Text that says what a desk has unsaved; null: nothing.
function waitsFor(desk: Desk): string | null {
    const { progress } = desk.way.get();
    const { name } = desk.sheet;
    const { edited } = sum(desk.sheet);
    return progress && progress.saved < progress.of ? texts.saving(progress.saved, progress.of, name)
        : edited > 0 ? texts.unsaved(edited, name) : null;
}

// Leaves the page of a desk. One with something unsaved is found again from the top bar, until
// all of it is saved.
export function leaveDesk(run: string, href: string, desk: Desk): void {
    const stops: (() => void)[] = [];
    const end = (): void => stops.forEach((stop) => stop());
    const look = (): void => {
        const waits = waitsFor(desk);
        leaveUnfinished(href, waits);
        if (waits === null) {
            end();
            desk.close();
            desks.delete(keyOf(run));
        }
    };
    left.set(desk, end);
    stops.push(desk.way.subscribe(look), desk.store.subscribe(look));
    look();
}

// Comes back to a desk that was left.
function comeBack(desk: Desk | undefined, href: string): void {
    if (desk) {
        left.get(desk)?.();
        left.delete(desk);
        leaveUnfinished(href, null);
    }
}

// Asks before the tab is closed over something that is not saved.
window.addEventListener('beforeunload', (event) => {
    if ([...desks.values()].some((desk) => desk.unsaved)) {
        event.preventDefault();
    }
});

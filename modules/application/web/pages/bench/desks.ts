// SPDX-License-Identifier: Apache-2.0
//
// The desks of this tab. One with cells that are not saved stays when its page is left, and is
// found again; another person's are never shown.
import { ownerOf } from '../../api/session.ts';
import { Desk } from '../../grid/desk.ts';
import type { Sheet } from '../../grid/sheet.ts';
import { ControlDesk } from './control-desk.ts';
import type { Control } from './run.ts';
import { portsOf } from './service.ts';

const desks = new Map<string, Desk>();

const keyOf = (run: string): string => `${ownerOf()} ${run}`;

export const keptDesk = (run: string): Desk | undefined => desks.get(keyOf(run));

export function openDesk(run: string, sheet: Sheet, controls: readonly Control[]): Desk {
    const desk = new Desk(sheet, portsOf(ownerOf(), new ControlDesk(controls)));
    desks.set(keyOf(run), desk);
    return desk;
}

// Leaves the page of a desk.
export function leaveDesk(run: string, desk: Desk): void {
    if (!desk.unsaved) {
        desk.close();
        desks.delete(keyOf(run));
    }
}

// Asks before the tab is closed over something that is not saved.
window.addEventListener('beforeunload', (event) => {
    if ([...desks.values()].some((desk) => desk.unsaved)) {
        event.preventDefault();
    }
});

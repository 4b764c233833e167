// SPDX-License-Identifier: Apache-2.0
//
// Opens the desk of a run, whose cells go to the service, and keeps it in this tab.
import { Desk } from '../../grid/desk.ts';
import type { Sheet } from '../../grid/sheet.ts';
import { ControlDesk } from './control-desk.ts';
import { type Station, keepDesk, someUnsaved } from './kept.ts';
import type { Control } from './run.ts';
import { portsOf } from './service.ts';

export function openDesk(station: Station, sheet: Sheet, controls: readonly Control[]): Desk {
    const desk = new Desk(sheet, portsOf(station.owner, new ControlDesk(controls)));
    keepDesk(station, desk);
    return desk;
}

// Asks before the tab is closed over something that is not saved.
window.addEventListener('beforeunload', (event) => {
    if (someUnsaved()) {
        event.preventDefault();
    }
});

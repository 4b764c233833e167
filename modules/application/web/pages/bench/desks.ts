// SPDX-License-Identifier: Apache-2.0
//
// Opens the desk of a run, whose cells go to the service, and keeps it in this tab. A run that is
// read again may have more tests and controls, which are added at its desk.
import { Desk } from '../../grid/desk.ts';
import { ControlDesk } from './control-desk.ts';
import { type Station, keepDesk, keptDesk, someUnsaved } from './kept.ts';
import { type Run, joined } from './run.ts';
import { portsOf } from './service.ts';
import { sheetOf } from './sheet.ts';

interface Behind {
    readonly name: string;
    readonly reasons: boolean;
    readonly controls: ControlDesk;
    run: Run;
}

// Origin of each desk.
const behind = new WeakMap<Desk, Behind>();

function newDesk(station: Station, name: string, run: Run, reasons: boolean): Desk {
    const controls = new ControlDesk(run.controls);
    const desk = new Desk(sheetOf(name, run, reasons, Date.now()), portsOf(station.owner, controls));
    behind.set(desk, { name, reasons, controls, run });
    keepDesk(station, desk);
    return desk;
}

// Adds what the run has besides below what stands there.
export function extendDesk(desk: Desk, now: Run): void {
    const made = behind.get(desk);
    if (made) {
        made.run = joined(made.run, now);
        made.controls.add(now.controls);
        desk.extend(sheetOf(made.name, made.run, made.reasons, Date.now()));
    }
}

// Comes back to the desk of a run, or opens one.
export function openDesk(station: Station, name: string, run: Run, reasons: boolean): Desk {
    const kept = keptDesk(station);
    if (kept) {
        extendDesk(kept, run);
    }
    return kept ?? newDesk(station, name, run, reasons);
}

// Asks before the tab is closed over something that is not saved.
window.addEventListener('beforeunload', (event) => {
    if (someUnsaved()) {
        event.preventDefault();
    }
});

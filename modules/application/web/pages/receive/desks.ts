// SPDX-License-Identifier: Apache-2.0
//
// The scans of this tab, by person: they stay while other pages are looked at.
import { ownerOf } from '../../api/session.ts';
import { Receiving } from './receiving.ts';
import { portsOf } from './service.ts';

const desks = new Map<string, Receiving>();

export function deskOf(zone: string): Receiving {
    const owner = ownerOf();
    const desk = desks.get(owner) ?? new Receiving(portsOf(owner, zone));
    desks.set(owner, desk);
    return desk;
}

// Asks before the tab is closed over a scan that is not sent.
window.addEventListener('beforeunload', (event) => {
    if ([...desks.values()].some((desk) => desk.unsaved)) {
        event.preventDefault();
    }
});

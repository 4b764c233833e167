// SPDX-License-Identifier: Apache-2.0
//
// The order that is being written in this tab, by person: it stays while other pages are
// looked at.
import { may, ownerOf } from '../../api/session.ts';
import { dayIn } from '../../texts/local-time.ts';
import { OrderDesk } from './order-desk.ts';
import type { Reader } from './reading.ts';
import { portsOf, receipts } from './service.ts';
import { referencesNow } from './use-references.ts';

const desks = new Map<string, OrderDesk>();

export function deskOf(zone: string): OrderDesk {
    const owner = ownerOf();
    const reader = (): Reader =>
        ({ references: referencesNow(), today: dayIn(zone, Date.now()), zone });
    const desk = desks.get(owner)
        ?? new OrderDesk(portsOf(owner, reader), may('sample.receive'));
    desks.set(owner, desk);
    return desk;
}

// Asks before the tab is closed over an order that is not registered, or whose receipt failed.
window.addEventListener('beforeunload', (event) => {
    if ([...desks.values()].some((desk) => desk.unsaved) || receipts.kept.get().length > 0) {
        event.preventDefault();
    }
});

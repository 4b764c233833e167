// SPDX-License-Identifier: Apache-2.0
//
// The scans of this tab, by person: they stay while other pages are looked at.
import { ownerOf } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { leaveUnfinished } from '../../shell/unfinished.ts';
import { t } from '../../texts/texts.ts';
import { Receiving, isOnItsWay } from './receiving.ts';
import { portsOf } from './service.ts';

const desks = new Map<string, Receiving>();

export function deskOf(zone: string): Receiving {
    const owner = ownerOf();
    const desk = desks.get(owner) ?? new Receiving(portsOf(owner, zone));
    desks.set(owner, desk);
    return desk;
}

// Ends the subscription to a desk that was left.
const left = new Map<Receiving, () => void>();

// Leaves the page. Scans that are on their way are found again from the top bar, until each is
// received; so is what was refused in the meantime.
export function leaveDesk(owner: string, desk: Receiving): void {
    const keys = new Set(desk.store.get().lines.filter(({ verdict }) => isOnItsWay(verdict))
        .map(({ key }) => key));
    const look = (): void => {
        const lines = desk.store.get().lines.filter(({ key }) => keys.has(key));
        const waiting = lines.filter(({ verdict }) => isOnItsWay(verdict)).length;
        const refused = lines.filter(({ verdict }) => verdict === 'refused').length;
        leaveUnfinished(owner, paths.receive(), waiting + refused > 0
            ? t.receive.left(waiting, refused) : null);
    };
    left.set(desk, desk.store.subscribe(look));
    look();
}

export function comeBack(owner: string, desk: Receiving): void {
    left.get(desk)?.();
    left.delete(desk);
    leaveUnfinished(owner, paths.receive(), null);
}

// Asks before the tab is closed over a scan that is not sent.
window.addEventListener('beforeunload', (event) => {
    if ([...desks.values()].some((desk) => desk.unsaved)) {
        event.preventDefault();
    }
});

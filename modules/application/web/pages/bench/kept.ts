// SPDX-License-Identifier: Apache-2.0
//
// The desks that are kept in this tab. One with cells that are not saved stays when its page is
// left, and is found again; another person's are never shown.
import type { Desk } from '../../grid/desk.ts';
import { sum } from '../../grid/look.ts';
import { leaveUnfinished } from '../../shell/unfinished.ts';
import { t } from '../../texts/texts.ts';

const texts = t.bench;

// A desk's person, run and the address of its page. They stay as they were when the
// desk was opened: it is also left by signing out.
export interface Station {
    readonly owner: string;
    readonly run: string;
    readonly href: string;
}

const desks = new Map<string, Desk>();

const keyOf = ({ owner, run }: Station): string => `${owner} ${run}`;

// Ends the subscription to a desk that was left.
const left = new Map<Desk, () => void>();

// The desk that was left with something unsaved.
export function keptDesk(station: Station): Desk | undefined {
    const desk = desks.get(keyOf(station));
    comeBack(desk, station);
    return desk;
}

// Keeps a desk from its opening on.
export const keepDesk = (station: Station, desk: Desk): void => {
    desks.set(keyOf(station), desk);
};

export const someUnsaved = (): boolean => [...desks.values()].some((desk) => desk.unsaved);

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
export function leaveDesk(station: Station, desk: Desk): void {
    const stops: (() => void)[] = [];
    const end = (): void => stops.forEach((stop) => stop());
    const look = (): void => {
        const waits = waitsFor(desk);
        leaveUnfinished(station.owner, station.href, waits);
        if (waits === null) {
            end();
            desk.close();
            desks.delete(keyOf(station));
        }
    };
    left.set(desk, end);
    stops.push(desk.way.subscribe(look), desk.store.subscribe(look));
    look();
}

// Comes back to a desk that was left.
function comeBack(desk: Desk | undefined, { owner, href }: Station): void {
    if (desk) {
        left.get(desk)?.();
        left.delete(desk);
        leaveUnfinished(owner, href, null);
    }
}

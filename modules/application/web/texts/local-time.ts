// SPDX-License-Identifier: Apache-2.0
//
// A time that somebody writes as the laboratory's clock shows it, as the service takes it.

// Returns what the clock of a zone shows at a moment, as if it were UTC.
function shown(moment: number, zone: string): number {
    const parts = new Intl.DateTimeFormat('en-US', {
        timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
        hour: 'numeric', minute: 'numeric',
    }).formatToParts(moment);
    const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
}

// Returns the day that a zone has at a moment, such as 2026-11-24.
export const dayIn = (zone: string, moment: number): string =>
    new Date(shown(moment, zone)).toISOString().slice(0, 10);

// Returns the moment in UTC at which the zone's clock shows a time such as 2026-11-24T10:15.
// Twice is enough: the second look knows on which side of a change of the clock it stands.
export function momentOf(local: string, zone: string): string {
    const wanted = Date.parse(`${local}:00Z`);
    let moment = wanted;
    for (let i = 0; i < 2; i++) {
        moment += wanted - shown(moment, zone);
    }
    return new Date(moment).toISOString();
}

const DAY = 86_400_000;

// Converts a local time such as 2026-11-24T10:15 to UTC: one moment, none in the gap where clocks
// are put forward, two in the hour that they show twice when they are put back.
export function momentsOf(local: string, zone: string): string[] {
    const wanted = Date.parse(`${local}:00Z`);
    const ahead = [wanted - DAY, wanted + DAY].map((near) => shown(near, zone) - near);
    return [...new Set(ahead)].map((offset) => wanted - offset)
        .filter((moment) => shown(moment, zone) === wanted)
        .map((moment) => new Date(moment).toISOString());
}

// Returns what the zone's clock shows at a moment, such as 2026-11-24T10:15.
export const shownAt = (moment: string, zone: string): string =>
    new Date(shown(Date.parse(moment), zone)).toISOString().slice(0, 16);

// SPDX-License-Identifier: Apache-2.0
//
// A time that somebody writes as the laboratory's clock shows it, as the service takes it. In the
// hour that the clock shows twice, when it is put back, the difference to UTC stands behind it:
// 2026-11-24T10:15, but 2026-11-01T01:30-06:00.
const DAY = 86_400_000;
const MINUTE = 60_000;
const LOCAL = 'YYYY-MM-DDTHH:MM'.length;

const two = (number: number): string => String(number).padStart(2, '0');

// Returns what the clock of a zone shows at a moment, as if it were UTC.
function shown(moment: number, zone: string): number {
    const parts = new Intl.DateTimeFormat('en-US', {
        timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
        hour: 'numeric', minute: 'numeric',
    }).formatToParts(moment);
    const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    // Date.UTC would take a year of two digits for one of the last century.
    return new Date(Date.UTC(2000, of('month') - 1, of('day'), of('hour'), of('minute')))
        .setUTCFullYear(of('year'), of('month') - 1, of('day'));
}

const written = (wall: number): string => new Date(wall).toISOString().slice(0, LOCAL);

// Returns the day that a zone has at a moment, such as 2026-11-24.
export const dayIn = (zone: string, moment: number): string => written(shown(moment, zone)).slice(0, 10);

// Converts a local time such as 2026-11-24T10:15 to UTC: one moment, none in the gap where clocks
// are put forward, two in the hour that they show twice, the earlier first.
export function momentsOf(local: string, zone: string): string[] {
    const wanted = Date.parse(`${local}:00Z`);
    const ahead = [wanted - DAY, wanted + DAY].map((near) => shown(near, zone) - near);
    return [...new Set(ahead)].map((offset) => wanted - offset)
        .filter((moment) => shown(moment, zone) === wanted)
        .map((moment) => new Date(moment).toISOString());
}

// Returns the moment at which a day begins. Where clocks are put forward at midnight, it is the
// midnight that they would have shown before.
export function beginOf(day: string, zone: string): string {
    const before = Date.parse(`${day}T00:00:00Z`) - DAY;
    return momentsOf(`${day}T00:00`, zone)[0]
        ?? new Date(2 * before + DAY - shown(before, zone)).toISOString();
}

// Returns the last millisecond of a day, which ends where the next one begins.
export function endOf(day: string, zone: string): string {
    const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().split('T')[0] ?? day;
    return new Date(Date.parse(beginOf(next, zone)) - 1).toISOString();
}

function difference(moment: number, wall: number): string {
    const minutes = (wall - moment) / MINUTE;
    const size = Math.abs(minutes);
    return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// Returns what the zone's clock shows at a moment.
export function shownAt(moment: string, zone: string): string {
    const at = Date.parse(moment);
    const wall = shown(at, zone);
    const local = written(wall);
    return momentsOf(local, zone).length > 1 ? local + difference(at, wall) : local;
}

// Returns what the clock shows at the moments that a local time may mean.
export const readingsOf = (local: string, zone: string): string[] => local.length === LOCAL
    ? momentsOf(local, zone).map((moment) => shownAt(moment, zone)) : [];

// The local part of a time, as a browser's field shows it.
export const localOf = (text: string): string => text.slice(0, LOCAL);

// Returns the moment that is meant. A time that the clock never showed stays as it was written: the
// service refuses it.
export const momentOf = (text: string, zone: string): string => text.length > LOCAL
    ? new Date(text).toISOString() : momentsOf(text, zone)[0] ?? text;

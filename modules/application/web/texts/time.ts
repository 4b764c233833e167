// SPDX-License-Identifier: Apache-2.0
//
// Days and times as the laboratory writes them: its locale and time zone, the year only where it
// is another one.
import { language } from './texts.ts';

// The catalogue's, until somebody is signed in.
let locale = language;

// Writes days and times by a locale from now on. A browser that does not know its language writes
// them by the nearest that it knows.
export function writeTimesBy(tag: string): void {
    locale = tag;
}

const part = (options: Intl.DateTimeFormatOptions): ((at: Date, zone: string) => string) => {
    const made = new Map<string, Intl.DateTimeFormat>();
    return (at, zone) => {
        const rules = `${locale} ${zone}`;
        const format = made.get(rules)
            ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
        made.set(rules, format);
        return format.format(at);
    };
};

const monthDay = part({ month: 'short', day: 'numeric' });
const monthDayYear = part({ month: 'short', day: 'numeric', year: 'numeric' });
const hourMinute = part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const withSeconds = part({ hour: '2-digit', minute: '2-digit', second: '2-digit',
    hourCycle: 'h23' });
const year = part({ year: 'numeric' });

function day(at: Date, zone: string, now: Date): string {
    return year(at, zone) === year(now, zone) ? monthDay(at, zone) : monthDayYear(at, zone);
}

export function when(iso: string, zone: string, now = new Date()): string {
    const at = new Date(iso);
    return `${day(at, zone, now)} ${hourMinute(at, zone)}`;
}

export const dateOf = (iso: string, zone: string, now = new Date()): string =>
    day(new Date(iso), zone, now);

export const clock = (at: Date, zone: string): string => withSeconds(at, zone);

export const utc = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

// Formats a day without a time (2026-11-27), which belongs to no zone.
export const dayOf = (date: string, now = new Date()): string =>
    day(new Date(`${date}T00:00:00Z`), 'UTC', now);

// A value that is a day or a time, as the laboratory writes it; any other as it is.
export function dated(value: string, zone: string): string {
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? when(value, zone)
        : /^\d{4}-\d\d-\d\d$/.test(value) ? dayOf(value) : value;
}

// Formats a day for a document, which is read in any year: always with the year, by the clock that
// the text itself states (2026-11-20T07:05:00-07:00 is written Nov 20, 2026 07:05).
export const writtenDay = (date: string): string =>
    monthDayYear(new Date(`${date.slice(0, 10)}T00:00:00Z`), 'UTC');

export const writtenTime = (at: string): string =>
    `${writtenDay(at)} ${at.slice(11, 16)}`;

// Formats a duration: "2 h 10 min", "1 d 16 h", "26 d": two units where both matter.
export function span(milliseconds: number): string {
    const minutes = Math.floor(Math.abs(milliseconds) / 60_000);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    if (days >= 7) {
        return `${days} d`;
    }
    if (days > 0) {
        return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
    }
    if (hours > 0) {
        return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
    }
    return `${minutes} min`;
}

export const daysBetween = (from: string, to: string): number =>
    Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);

// SPDX-License-Identifier: Apache-2.0
//
// Times of collection as clients write them. A day of which two readings are possible, such as
// 11/12/2026, is none: nothing is guessed.
import { momentsOf } from '../../texts/local-time.ts';
import { t } from '../../texts/texts.ts';

const { months, wrong } = t.orders;

export type Collected =
    | { readonly collectionDate: string }
    | { readonly collectedAt: string }
    | { readonly mistake: string }
    | Record<string, never>;

const TIME = /(?:^|[\sT])(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap]\.?m\.?)?$/i;
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const MONTH_FIRST = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?$/i;
const DAY_FIRST = /^(\d{1,2})\.?\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?$/i;

const two = (n: number): string => String(n).padStart(2, '0');

// The day as 2026-11-24; null: the calendar has none such.
function dayOf(year: number, month: number, day: number): string | null {
    const found = new Date(Date.UTC(year, month - 1, day));
    return found.getUTCMonth() === month - 1 && found.getUTCDate() === day
        ? `${year}-${two(month)}-${two(day)}` : null;
}

// Returns the latest such day before today, for a day without a year.
function named(month: string, day: string, year: string | undefined, today: string): string | null {
    const number = months.indexOf(month.slice(0, 3).toLowerCase()) + 1;
    if (number === 0) {
        return null;
    }
    if (year !== undefined) {
        return dayOf(Number(year), number, Number(day));
    }
    const thisYear = Number(today.slice(0, 4));
    const found = dayOf(thisYear, number, Number(day));
    return found !== null && found > today ? dayOf(thisYear - 1, number, Number(day)) : found;
}

function readDay(text: string, today: string): string | null {
    const iso = ISO.exec(text);
    if (iso) {
        return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
    }
    const monthFirst = MONTH_FIRST.exec(text);
    if (monthFirst) {
        return named(monthFirst[1] ?? '', monthFirst[2] ?? '', monthFirst[3], today);
    }
    const dayFirst = DAY_FIRST.exec(text);
    return dayFirst ? named(dayFirst[2] ?? '', dayFirst[1] ?? '', dayFirst[3], today) : null;
}

function readTime([, hour = '', minute = '', half]: readonly string[]): string | null {
    const late = half?.toLowerCase().startsWith('p') ? 12 : 0;
    const h = half ? (Number(hour) % 12) + late : Number(hour);
    const fits = h < 24 && Number(minute) < 60 && (!half || (Number(hour) >= 1 && Number(hour) <= 12));
    return fits ? `${two(h)}:${minute}` : null;
}

// Time of collection of the whole order: a day such as 2026-11-24 and a time such as 08:15, or empty.
export interface Moment {
    readonly day: string;
    readonly time: string;
}

const WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/;

// Returns the moment at which the clock showed a time, which has to be one.
function at(day: string, time: string, zone: string): Collected {
    const [collectedAt, other] = momentsOf(`${day}T${time}`, zone);
    return collectedAt === undefined ? { mistake: wrong.skipped }
        : other !== undefined ? { mistake: wrong.doubled } : { collectedAt };
}

// Reads a time of collection; what it leaves out is that of the order. `today` is the
// laboratory's.
export function collectedOf(
    text: string, { day, time: usual }: Moment, today: string, zone: string,
): Collected {
    const given = text.trim();
    if (given === '') {
        return day === '' ? {} : usual === '' ? { collectionDate: day }
            : at(day, usual, zone);
    }
    if (WITH_ZONE.test(given) && readDay(given.slice(0, 10), today)) {
        const moment = new Date(given.replace(' ', 'T'));
        return Number.isNaN(moment.getTime()) ? { mistake: wrong.time }
            : { collectedAt: moment.toISOString() };
    }
    const found = TIME.exec(given);
    const rest = found ? given.slice(0, found.index).trim().replace(/,$/, '') : given;
    const time = found && readTime(found);
    if (found && rest === '' && day === '') {
        return { mistake: wrong.day };
    }
    const date = rest === '' ? day : readDay(rest, today);
    if (date === null || (found && !time)) {
        return { mistake: wrong.time };
    }
    return time ? at(date, time, zone) : { collectionDate: date };
}

// SPDX-License-Identifier: Apache-2.0
//
// Reasons that hold a file, and the decisions about them: which decision answers which reason, and
// which cell a reason is about. Pure.
export interface Reason {
    code: string;
    severity: 'blocking' | 'note';
    message: string | null;
    sheet: string | null;
    row: number | null;
    column: number | null;
    // Whether what it is about can be left out; else it is about a control, a table or the file.
    excludable: boolean;
    cell: string | null;
    expected: string | null;
}

// A value that is read from the row of a reason, by the names that the file has.
export interface Reading<C> {
    sheet: string | null;
    column: number | null;
    trackingId: string | null;
    testCode: string | null;
    candidates: C[];
}

interface Decided {
    by?: number;
    at?: string;
}

export interface Excluded extends Decided {
    sheet?: string;
    row?: number;
    column?: number;
    reason: string;
}

export interface Alias extends Decided {
    from: string;
    to: string;
    reason: string;
}

export interface NamedTest extends Decided {
    row: number;
    sheet?: string;
    column?: number;
    sampleTestId: number;
}

export interface Decisions {
    profile?: { code: string } & Decided;
    exclude: Excluded[];
    aliases: Alias[];
    tests: NamedTest[];
}

export type Decision = { kind: 'exclude'; one: Excluded } | { kind: 'alias'; one: Alias }
    | { kind: 'test'; one: NamedTest };

export interface Card {
    key: string;
    reason: Reason | null;
    decision: Decision | null;
    // Whether the reason still holds the file, as far as is known.
    open: boolean;
}

export interface Counts {
    rows: number;
    results: number;
    controls: number;
    skipped: number;
    written: number;
}

// The service has these members as JSON.
export const reasonsOf = ({ reasons }: { reasons: unknown }): Reason[] =>
    Array.isArray(reasons) ? reasons as Reason[] : [];

export const countsOf = ({ counts }: { counts: unknown }): Counts =>
    ({ rows: 0, results: 0, controls: 0, skipped: 0, written: 0, ...counts as Partial<Counts> });

export const decisionsOf = ({ decisions }: { decisions: unknown }): Decisions =>
    ({ exclude: [], aliases: [], tests: [], ...decisions as Partial<Decisions> });

function bare<D extends Decided>(decided: D): Omit<D, 'by' | 'at'> {
    const { by: _by, at: _at, ...rest } = decided;
    return rest;
}

// Returns the decisions as the service takes them; it records person and time itself.
export const sent = ({ profile, exclude, aliases, tests }: Decisions) => ({
    ...(profile ? { profile: profile.code } : {}),
    exclude: exclude.map((one) => bare(one)),
    aliases: aliases.map((one) => bare(one)),
    tests: tests.map((one) => bare(one)),
});

export const blocks = ({ severity }: Reason): boolean => severity === 'blocking';

// Several values of a row, or several tests: which one is meant has to be said. A replicate that
// cannot be resolved is no value; where its values stand, they are duplicate rows as well.
const ofTests = ['duplicate_row', 'ambiguous_test', 'result_conflict'];
const ofSamples = ['unknown_tracking_id', 'ambiguous_tracking_id', 'test_not_scheduled',
    'sample_status_not_allowed'];

export const asksForTest = ({ code, row }: Reason): boolean =>
    ofTests.includes(code) && row !== null;

export const asksForSample = ({ code, row, cell }: Reason): boolean =>
    ofSamples.includes(code) && row !== null && cell !== null;

const sameSheet = (one: { sheet?: string | null }, sheet: string | null): boolean =>
    !one.sheet || one.sheet === (sheet ?? '');

const isInSheet = (one: { sheet: string | null }, sheet: string | null): boolean =>
    (one.sheet ?? '') === (sheet ?? '');

// Returns the name that the file has in the place of the reason, also where it was given an alias.
export function nameInFile(
    reason: Reason, readings: Reading<unknown>[], { aliases }: Decisions,
): string {
    const named = (name: string | null): boolean => name !== null && (name === reason.cell
        || aliases.some(({ from, to }) => from === name && to === reason.cell));
    return readings.find((one) => isInSheet(one, reason.sheet) && named(one.trackingId))?.trackingId
        ?? reason.cell ?? '';
}

// Returns those readings of the row that a reason is about.
export function readingsOf<C>(
    reason: Reason, readings: Reading<C>[], decisions: Decisions,
): Reading<C>[] {
    const inSheet = readings.filter((one) => isInSheet(one, reason.sheet));
    if (asksForTest(reason)) {
        return inSheet.filter(({ column }) => reason.column === null || column === reason.column);
    }
    const name = nameInFile(reason, readings, decisions);
    return inSheet.filter(({ trackingId, testCode }) => trackingId === name
        && (reason.code !== 'test_not_scheduled' || testCode === reason.expected));
}

export const isExcluded = ({ exclude }: Decisions, sheet: string | null, row: number): boolean =>
    exclude.some((one) => one.row === row && one.column === undefined && sameSheet(one, sheet));

function decisionFor(reason: Reason, { exclude, aliases, tests }: Decisions): Decision | null {
    const isHere = (one: { sheet?: string; row?: number; column?: number }): boolean =>
        one.row === reason.row && sameSheet(one, reason.sheet)
        && (one.column === undefined || one.column === reason.column);
    const out = exclude.find(isHere);
    const alias = asksForSample(reason)
        ? aliases.find(({ from }) => from === reason.cell) : undefined;
    const named = tests.find(isHere);
    if (out) {
        return { kind: 'exclude', one: out };
    }
    if (alias) {
        return { kind: 'alias', one: alias };
    }
    return named && asksForTest(reason) ? { kind: 'test', one: named } : null;
}

const keyOf = ({ code, sheet, row, column, cell, expected }: Reason): string =>
    [code, sheet ?? '', row ?? '', column ?? '', cell ?? '', expected ?? ''].join('|');

const allOf = ({ exclude, aliases, tests }: Decisions): Decision[] => [
    ...exclude.map((one) => ({ kind: 'exclude' as const, one })),
    ...aliases.map((one) => ({ kind: 'alias' as const, one })),
    ...tests.map((one) => ({ kind: 'test' as const, one })),
];

const inOrder = (a: Card, b: Card): number => (a.reason?.row ?? 0) - (b.reason?.row ?? 0);

// Every reason, with what was decided about it, in the order of the file; decisions that
// answer none come last. `now`: the reasons that hold the file after the decisions; null:
// that is not known yet.
export function cardsOf(stored: Reason[], now: Reason[] | null, decisions: Decisions): Card[] {
    const holds = new Set((now ?? []).filter(blocks).map(keyOf));
    const known = new Map([...stored, ...now ?? []].filter(blocks).map((one) => [keyOf(one), one]));
    const cards = [...known].map(([key, reason]) => {
        const decision = decisionFor(reason, decisions);
        return { key, reason, decision, open: now ? holds.has(key) : !decision };
    });
    const answered = new Set<object>(cards.flatMap(({ decision }) => decision ? [decision.one] : []));
    const rest = allOf(decisions).filter(({ one }) => !answered.has(one)).map((decision, i) =>
        ({ key: `decision ${i}`, reason: null, decision, open: false }));
    return [...cards.sort(inOrder), ...rest];
}

// The card of a row of a sheet; a file without named sheets has the sheet ''.
export const cardAt = (cards: Card[], sheet: string, row: number): Card | undefined =>
    cards.find(({ reason }) => reason?.row === row && isInSheet(reason, sheet));

// The column, from 0, that a reason of the row is about; -1: the row as a whole.
export function columnOf(reason: Reason, cells: string[]): number {
    if (reason.column !== null) {
        return reason.column - 1;
    }
    return reason.cell === null ? -1 : cells.indexOf(reason.cell);
}

// A, B, … Z, AA, as spreadsheets name them.
export function letterOf(column: number): string {
    const rest = Math.floor(column / 26);
    return (rest > 0 ? letterOf(rest - 1) : '') + String.fromCharCode(65 + column % 26);
}

// The next reason that is open, in the order of the file, from one on or back, and round.
export function nextOpen(cards: Card[], at: string | null, step: 1 | -1): Card | undefined {
    const here = cards.findIndex(({ key }) => key === at);
    const on = step > 0 ? cards : [...cards].reverse();
    const from = here < 0 ? 0 : (step > 0 ? here : cards.length - 1 - here) + 1;
    return [...on.slice(from), ...on.slice(0, from)].find(({ open }) => open);
}

// One name in the file has one alias, so another one takes its place.
export const withAlias = (decisions: Decisions, alias: Alias): Decisions => ({
    ...decisions,
    aliases: [...decisions.aliases.filter(({ from }) => from !== alias.from), alias],
});

// A value of the row has one test, so that another one takes its place.
export const withTest = (
    decisions: Decisions, { sheet, row, column }: Reason, sampleTestId: number,
): Decisions => ({
    ...decisions,
    tests: [
        ...decisions.tests.filter((one) => column === null || one.column !== column
            || one.row !== row || !sameSheet(one, sheet)),
        { row: row ?? 1, ...(sheet ? { sheet } : {}), ...(column === null ? {} : { column }),
            sampleTestId },
    ],
});

export const without = (decisions: Decisions, { one }: Decision): Decisions => ({
    ...decisions,
    exclude: decisions.exclude.filter((other) => other !== one),
    aliases: decisions.aliases.filter((other) => other !== one),
    tests: decisions.tests.filter((other) => other !== one),
});

// SPDX-License-Identifier: Apache-2.0
//
// The sheet of a run: its samples as rows, by what is left of their holding times, its
// definitions as columns, and one for controls of the run as a whole. A retest stands in a row
// of its own below the first result.
import type { Cell, Column, Row, Sheet, Version } from '../../grid/sheet.ts';
import { EMPTY, cellOf } from '../../grid/sheet.ts';
import { span } from '../../texts/time.ts';
import { controlRows, controlVersions, measuresOf } from './controls.ts';
import type { Measure } from './controls.ts';
import { opinionOf } from './opinion.ts';
import { nameOf } from './people.ts';
import type { Entered, Run, SampleTest } from './run.ts';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';

const texts = t.bench;

// Returns the content of a sample test in the form that a cell takes.
export function versionOf(test: SampleTest): Version {
    const presumptive = test.confirmationStatus === 'pending';
    return {
        text: test.result === null ? '' : valueOf(test),
        ...(test.result === null ? {}
            : { entered: { result: test.result, qualifier: test.qualifier } }),
        ...(test.returned
            ? { returned: texts.returned(nameOf(test.returned.by), test.returned.reason) } : {}),
        opinion: test.result === null ? null : opinionOf({ ...test, presumptive, refusals: [] }),
        exceptions: {},
        etag: test.etag,
        lock: test.status === 'verified' ? texts.verified(nameOf(test.verifiedBy))
            : test.disposition === 'active' ? '' : texts.inactive,
        limit: test.specification ?? '',
    };
}

// Records by the id of their cell.
export const versionsOf = (tests: readonly SampleTest[]): Map<string, Version> =>
    new Map(tests.map((test) => [String(test.id), versionOf(test)]));

// Returns the contents of all records of a run, by cell.
export const versionsIn = ({ tests, controls }: Entered): Map<string, Version> =>
    new Map([...versionsOf(tests), ...controlVersions(controls)]);

// The limit stands in the head where it is one for all rows.
function limitOf(tests: readonly SampleTest[]): string {
    const limits = new Set(tests.map((test) => test.specification ?? ''));
    return limits.size === 1 ? [...limits][0] ?? '' : texts.severalLimits;
}

function columnOf(measure: Measure, tests: readonly SampleTest[]): Column {
    if (!measure) {
        return { key: texts.controls.whole, name: texts.controls.whole, aliases: [], hint: '',
            numeric: false, length: 1000 };
    }
    const { code, name, unit, reportingLimit, resultType } = measure;
    const limit = limitOf(tests.filter((test) => test.testDefinitionId === measure.id));
    return {
        key: code,
        name,
        aliases: [],
        hint: [
            limit || unit || '',
            reportingLimit === null ? '' : texts.reportingLimit(reportingLimit),
        ].filter(Boolean).join(', '),
        numeric: resultType === 'numeric',
        length: 1000,
    };
}

// Client, priority, holding time.
const FACTS = 3;

const NEVER = '9999';

const ends = (tests: readonly SampleTest[]): string =>
    tests.reduce((first, { holdingExpiresAt }) =>
        (holdingExpiresAt ?? NEVER) < first ? holdingExpiresAt ?? NEVER : first, NEVER);

function leftOf(tests: readonly SampleTest[], now: number): string {
    const end = ends(tests);
    if (end === NEVER) {
        return '';
    }
    const left = Date.parse(end) - now;
    return left < 0 ? texts.passed(span(left)) : span(left);
}

function cellFor(measure: Measure, tests: readonly SampleTest[]): Cell {
    const test = tests.find((one) => one.testDefinitionId === measure?.id);
    return test ? cellOf(String(test.id), versionOf(test)) : cellOf('', EMPTY);
}

function rowOf(
    key: string, tests: readonly SampleTest[], measures: readonly Measure[], now: number,
): Row {
    const sample = tests[0]?.sample;
    const priority = sample?.priority ?? 'routine';
    return {
        key,
        label: sample?.trackingId ?? '',
        kind: 'sample',
        facts: [sample?.clientName ?? '', priority === 'routine' ? '' : texts.priority[priority],
            leftOf(tests, now)],
        cells: measures.map((measure) => cellFor(measure, tests)),
    };
}

// Tests of a sample, by row: one for each time that a definition was ordered.
function rowsOf(tests: readonly SampleTest[]): Map<string, SampleTest[]> {
    const rows = new Map<string, SampleTest[]>();
    const times = new Map<string, number>();
    for (const test of [...tests].sort((a, b) => a.id - b.id)) {
        const place = `${test.sampleId}/${test.testDefinitionId}`;
        const time = (times.get(place) ?? 0) + 1;
        times.set(place, time);
        const key = `${test.sampleId}/${time}`;
        rows.set(key, [...rows.get(key) ?? [], test]);
    }
    return rows;
}

// Orders tests by time; of two at the same time, the sample that came first comes first.
function inOrder(a: readonly SampleTest[], b: readonly SampleTest[]): number {
    const [one, other] = [ends(a), ends(b)];
    return one === other ? (a[0]?.id ?? 0) - (b[0]?.id ?? 0) : one < other ? -1 : 1;
}

const rowsInOrder = (tests: readonly SampleTest[]): [string, SampleTest[]][] =>
    [...rowsOf(tests)].sort(([, a], [, b]) => inOrder(a, b));

// Returns the ids of tests in the order in which they stand on the bench.
export const testsInOrder = (tests: readonly SampleTest[]): number[] =>
    rowsInOrder(tests).flatMap(([, ones]) => ones.map(({ id }) => id));

export function sheetOf(name: string, run: Run, reasons: boolean, now: number): Sheet {
    const rows = rowsInOrder(run.tests);
    const measures = measuresOf(run);
    return {
        name: texts.sheet(name),
        heads: [
            { title: texts.heads.trackingId, className: 'w-id' },
            { title: texts.heads.client, className: 'w-name p2' },
            { title: texts.heads.priority, className: 'w-code p2' },
            { title: texts.heads.left, className: 'w-when p1' },
        ],
        columns: measures.map((measure) => columnOf(measure, run.tests)),
        rows: [
            ...controlRows(run.controls, measures, FACTS),
            ...rows.map(([key, tests]) => rowOf(key, tests, measures, now)),
        ],
        settings: {},
        reasons,
        grow: null,
    };
}

// SPDX-License-Identifier: Apache-2.0
//
// From records to a sheet, and from what was typed to what is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    controlCell, controlOpinion, controlRows, controlVersion, measuredOf,
} from '../../../../modules/application/web/pages/bench/controls.ts';
import { givenBy, sentOf } from '../../../../modules/application/web/pages/bench/entry.ts';
import { opinionOf } from '../../../../modules/application/web/pages/bench/opinion.ts';
import type { Control, Definition, SampleTest } from '../../../../modules/application/web/pages/bench/run.ts';
import { sheetOf, versionOf } from '../../../../modules/application/web/pages/bench/sheet.ts';
import { knowPeople } from '../../../../modules/application/web/pages/bench/people.ts';
import { valueOf } from '../../../../modules/application/web/texts/value.ts';
import { groupsOf, isIn, type WorklistTest } from '../../../../modules/application/web/pages/worklist/groups.ts';

const sent: [string, boolean, unknown][] = [
    ['7.10', true, { result: '7.10', qualifier: null }],
    ['0.03 J', true, { result: '0.03', qualifier: 'J' }],
    ['0.05  u', true, { result: '0.05', qualifier: 'U' }],
    ['<0.05', true, { result: '<0.05', qualifier: null }],
    ['< 0.05 U', true, { result: '< 0.05', qualifier: 'U' }],
    ['TNTC', true, { result: 'TNTC', qualifier: null }],
    ['ND', true, { result: 'ND', qualifier: null }],
    ['type 3 U', false, { result: 'type 3 U' }],
    ['Present', false, { result: 'Present' }],
    ['', true, { result: null }],
    ['  ', false, { result: null }],
];

test('what is sent of what was typed', () => {
    for (const [typed, numeric, expected] of sent) {
        assert.deepEqual(sentOf(typed, numeric), expected, JSON.stringify(typed));
    }
});

test('what a record shows means the same when it is typed', () => {
    const shown = (result: string | null, qualifier: string | null) => valueOf({ result, qualifier });
    assert.equal(shown(null, null), '');
    assert.equal(shown('7.10', null), '7.10');
    assert.equal(shown('0.05', '<'), '<0.05');
    for (const qualifier of ['J', 'U', 'ND'] as const) {
        for (const result of ['0.03', '<0.03', '< 0.03']) {
            assert.deepEqual(sentOf(shown(result, qualifier), true), { result, qualifier });
        }
    }
});

test('a qualifier that the text of a value has is not written twice', () => {
    const shown = (result: string, qualifier: string) => valueOf({ result, qualifier });
    assert.equal(shown('<0.5', '<'), '<0.5');
    assert.equal(shown(' > 100', '>'), ' > 100');
    assert.equal(shown('ND', 'ND'), 'ND');
    assert.equal(shown('nd', 'ND'), 'nd');
    assert.equal(shown('>100', '<'), '>100', 'the text stands that was judged');
    assert.equal(shown('5', 'U'), '5 U', 'letters stand behind the number');
    assert.equal(valueOf({ result: null, qualifier: 'ND' }), 'ND', 'or in its place');
});

test('a value whose text was not touched is sent as the record has it', () => {
    const known = [['<0.5', '<'], ['ND', 'ND'], ['< 0.5', 'U'], ['0.03', 'J'], ['7.10', null]] as const;
    for (const [result, qualifier] of known) {
        const base = versionOf(record(1, { result, qualifier, status: 'entered' }));
        const content = { typed: base.text, exceptions: { reagentLotId: 4 }, reason: '' };
        assert.deepEqual(givenBy(content, base, true), { result, qualifier });
        assert.deepEqual(givenBy({ ...content, typed: '8' }, base, true),
            { result: '8', qualifier: null });
    }
    const empty = versionOf(record(2));
    assert.deepEqual(givenBy({ typed: '', exceptions: {}, reason: '' }, empty, true), { result: null });
});

test('a result that was sent back says by whom and why', () => {
    knowPeople([{ id: 3, displayName: 'Ines Kowalski' }]);
    const returned = { by: 3, at: '2026-11-24T09:00:00.000Z', reason: 'Read the burette again' };
    assert.equal(versionOf(record(1, { result: '7', status: 'entered', returned })).returned,
        'Sent back by Ines Kowalski: Read the burette again.');
    assert.equal(versionOf(record(1, { result: '7', status: 'entered' })).returned, undefined);
});

function said(more = {}) {
    return { outOfSpecification: false, specification: 'at most 10 mg/L', presumptive: false,
        refusals: [], entryWarnings: [], ...more };
}

const warning = (code: string) => ({ code, message: `because of ${code}` });

test('the service\'s opinion as a mark', () => {
    assert.equal(opinionOf(said()).mark, 'within');
    assert.equal(opinionOf(said({ outOfSpecification: null })).mark, 'none', 'without a limit');
    const outside = opinionOf(said({ outOfSpecification: true, entryWarnings: [warning('x')] }));
    assert.deepEqual(outside, { mark: 'outside', word: '',
        messages: ['Out of specification: at most 10 mg/L.', 'because of x'] });
    assert.equal(opinionOf(said({ presumptive: true })).mark, 'attention');
    assert.deepEqual(opinionOf(said({ entryWarnings: [warning('below_reporting_limit')] })),
        { mark: 'attention', word: 'RL', messages: ['because of below_reporting_limit'] });
    assert.equal(opinionOf(said({ entryWarnings: [warning('a_new_one')] })).mark, 'attention');
    assert.deepEqual(opinionOf(said({ outOfSpecification: true,
        refusals: [{ error: 'reagent_lot_expired', message: 'The lot has expired.' }] })),
    { mark: 'refused', word: '', messages: ['The lot has expired.'] });
});

function record(id: number, more: Partial<SampleTest> = {}): SampleTest {
    return {
        id, sampleId: 1, testDefinitionId: 1, testCode: 'PH', testName: 'pH', status: 'pending',
        result: null, unit: null, qualifier: null, notes: null, outOfSpecification: null,
        specification: null, reagentLotId: null, mediaLotId: null, qcBatchId: null,
        confirmationStatus: null, worksheetStatus: null, holdingStatus: null,
        holdingExpiresAt: null, analyzedAt: null, enteredBy: null, enteredAt: null,
        verifiedBy: null, verifiedAt: null, warnings: [], entryWarnings: [], etag: `etag ${id}`,
        disposition: 'active', retestOf: null, reported: false, returned: null,
        noteOnReport: false, createdAt: '', updatedAt: '',
        sample: { trackingId: `CB-${more.sampleId ?? 1}`, sampleIdentifier: '', clientName: 'Town',
            priority: 'routine', receivedAt: '2026-11-24T08:00:00.000Z' },
        ...more,
    };
}

function definition(id: number, code: string, more: Partial<Definition> = {}): Definition {
    return {
        id, code, name: `name of ${code}`, method: 'M', unit: 'mg/L', resultType: 'numeric',
        decimals: 2, specificationLow: null, specificationHigh: null, specificationText: null,
        reportingLimit: 0.1, methodDetectionLimit: null, holdingTimeHours: null, preservation: null,
        requiresWorksheet: false, requiresConfirmation: false, presumptiveMinimum: null,
        turnaroundDays: null, confirmationPlan: [], active: true, createdAt: '', updatedAt: '',
        ...more,
    };
}

const NOW = Date.parse('2026-11-24T10:00:00Z');

test('samples are rows in the order of their holding times, definitions are columns', () => {
    const sheet = sheetOf('EPA 300.0', {
        controls: [], batch: null,
        definitions: [definition(1, 'PH', { resultType: 'text' }), definition(2, 'F')],
        tests: [
            record(1, { sampleId: 1 }),
            record(2, { sampleId: 2, holdingExpiresAt: '2026-11-24T13:00:00.000Z' }),
            record(3, { sampleId: 3, holdingExpiresAt: '2026-11-24T09:00:00.000Z' }),
            record(4, { sampleId: 2, testDefinitionId: 2, result: '0.5', status: 'entered' }),
        ],
    }, true, NOW);
    assert.deepEqual(sheet.rows.map((row) => row.label), ['CB-3', 'CB-2', 'CB-1']);
    assert.deepEqual(sheet.rows.map((row) => row.facts[2]), ['passed 1 h ago', '3 h', '']);
    assert.deepEqual(sheet.rows.map((row) => row.cells.map((cell) => `${cell.id}:${cell.content.typed}`)),
        [['3:', ':'], ['2:', '4:0.5'], ['1:', ':']]);
    assert.deepEqual(sheet.columns.map(({ key, numeric }) => [key, numeric]), [['PH', false], ['F', true]]);
    assert.ok(sheet.reasons);
});

test('a retest stands in a row of its own', () => {
    const sheet = sheetOf('M', { controls: [], batch: null, definitions: [definition(1, 'PH')],
        tests: [record(9, { retestOf: 5 }), record(5, { result: '7' })] }, false, NOW);
    assert.deepEqual(sheet.rows.map((row) => row.cells.map((cell) => cell.id)), [['5'], ['9']]);
});

test('the limit stands in the head where it is one for all', () => {
    const hint = (...limits: string[]) => sheetOf('M', {
        controls: [], batch: null, definitions: [definition(1, 'PH')],
        tests: limits.map((specification, i) => record(i, { sampleId: i, specification })) },
    false, NOW).columns[0]?.hint;
    assert.equal(hint('at most 10', 'at most 10'), 'at most 10, RL 0.1');
    assert.equal(hint('at most 10', 'at most 4'), 'limit by sample, RL 0.1');
    assert.equal(hint(''), 'mg/L, RL 0.1');
});

test('what is verified, cancelled or set aside is locked', () => {
    assert.equal(versionOf(record(1)).lock, '');
    assert.notEqual(versionOf(record(1, { status: 'verified' })).lock, '');
    assert.notEqual(versionOf(record(1, { disposition: 'set_aside' })).lock, '');
    assert.equal(versionOf(record(1)).opinion, null, 'of nothing there is no opinion');
});

const open = (id: number, method: string | null, more = {}) => ({ id, method, testCode: 'PH',
    priority: 'routine', holdingExpiresAt: null, ...more }) as unknown as WorklistTest;

test('the worklist by method, what ends first at the top', () => {
    const found = groupsOf([
        open(1, 'B', { holdingExpiresAt: '2026-11-24T13:00:00.000Z' }), open(2, 'A'),
        open(3, 'B', { priority: 'stat', testCode: 'F' }), open(4, null),
        open(5, 'B', { holdingExpiresAt: '2026-11-24T11:00:00.000Z' }),
    ]);
    assert.deepEqual(found.map(({ first, ...rest }) => ({ ...rest, first: first?.id })), [
        { key: 'B', open: 3, analytes: ['F', 'PH'], urgent: 1, first: 5 },
        { key: 'A', open: 1, analytes: ['PH'], urgent: 0, first: undefined },
        { key: '', open: 1, analytes: ['PH'], urgent: 0, first: undefined },
    ]);
});

test('groups of the worklist by instrument and by the day on which a report is due', () => {
    const tests = [open(1, 'A', { dueDate: '2026-12-02', instrumentId: 7 }),
        open(2, 'A', { dueDate: null, instrumentId: null }),
        open(3, 'B', { dueDate: '2026-11-30', instrumentId: 7 })];
    assert.deepEqual(groupsOf(tests, 'instrument').map(({ key, open: n }) => [key, n]),
        [['7', 2], ['', 1]]);
    assert.deepEqual(groupsOf(tests, 'due').map(({ key }) => key),
        ['2026-11-30', '2026-12-02', '']);
    assert.ok(isIn(tests[0] as WorklistTest, 'due', '2026-12-02'));
    assert.ok(!isIn(tests[0] as WorklistTest, 'instrument', ''));
});

function control(id: number, more: Partial<Control> = {}): Control {
    return {
        id, qcBatchId: 1, controlType: 'LFB', testDefinitionId: 1, criterion: 'recovery',
        expectedValue: 5, measuredValue: null, nativeValue: null, lowerLimit: 90, upperLimit: 110,
        expectedText: null, measuredText: null, unit: 'mg/L', level: null, lot: null,
        measuredAt: null, evaluatedValue: null, passed: null, expected: true, qcSeriesId: null,
        broken: [], excluded: false, excludedReason: null, notes: null, createdAt: '',
        updatedAt: 'then', ...more,
    };
}

test('controls are rows, one for each time that they are measured', () => {
    const rows = controlRows([control(1, { controlType: 'LRB' }), control(2),
        control(3, { testDefinitionId: 2 }), control(4)],
    [definition(1, 'PH'), definition(2, 'F')], 3);
    assert.deepEqual(rows.map(({ label, facts }) => [label, facts[0], facts.length]),
        [['LRB', 'Reagent blank', 3], ['LFB', 'Fortified blank', 3], ['LFB', 'Fortified blank', 3]]);
    assert.deepEqual(rows.map(({ cells }) => cells.map(({ id }) => id)),
        [[controlCell(1), ''], [controlCell(2), controlCell(3)], [controlCell(4), '']]);
    assert.ok(rows.every(({ kind }) => kind === 'control'));
});

test('a control without an analyte is measured for the run as a whole', () => {
    const definitions = [definition(1, 'PH')];
    const controls = [control(1), control(2, { controlType: 'STR', testDefinitionId: null })];
    const { columns, rows } = sheetOf('R', { definitions, controls,
        tests: [record(7)], batch: null }, false, 0);
    assert.deepEqual(columns.map(({ key }) => key), ['PH', 'Whole run']);
    assert.deepEqual(rows.map(({ label, cells }) => [label, ...cells.map(({ id }) => id)]),
        [['LFB', controlCell(1), ''], ['STR', '', controlCell(2)], [rows[2]?.label, '7', '']]);
    assert.equal(sheetOf('R', { definitions, controls: [control(1)], tests: [], batch: null },
        false, 0).columns.length, 1, 'where there is one');
});

test('what a control was measured at, and what it has to meet', () => {
    const version = controlVersion(control(1, { measuredValue: 5.6, passed: false, evaluatedValue: 112 }));
    assert.deepEqual([version.text, version.opinion?.mark, version.limit, version.reasons],
        ['5.6', 'outside', '90 to 110 % of 5 mg/L', true]);
    assert.equal(controlVersion(control(1)).opinion, null);
    assert.equal(controlVersion(control(1, { criterion: 'expected', expectedText: 'Growth',
        measuredText: 'growth' })).text, 'growth');
    const value = control(1);
    const text = control(1, { criterion: 'expected' });
    assert.deepEqual(measuredOf(value, ' 4.93 '), { measuredValue: 4.93 });
    assert.deepEqual(measuredOf(value, ''), { measuredValue: null });
    assert.equal(measuredOf(value, 'growth'), null, 'no number');
    assert.equal(measuredOf(value, '4,93'), null, 'a comma is not guessed');
    assert.deepEqual(measuredOf(text, 'growth'), { measuredText: 'growth' });
});

test('the service\'s opinion of a control', () => {
    const judged = (more = {}) => controlOpinion(
        { passed: true, evaluatedValue: 99, broken: [], refusals: [], ...more });
    assert.equal(judged().mark, 'within');
    assert.equal(judged({ broken: ['1-2s'] }).mark, 'attention');
    assert.equal(judged({ passed: false, broken: ['1-3s'] }).mark, 'outside');
    assert.equal(judged({ passed: null }).mark, 'none');
    assert.equal(judged({ refusals: [{ message: 'native value' }] }).mark, 'refused');
});

// SPDX-License-Identifier: Apache-2.0
//
// Differences between a version of a certificate and the one before it, as its reader sees them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    changeIn, decisionRules, differences, lacks, notesOf, outsideScope,
} from '../../../../modules/application/web/pages/certificates/content.ts';
import type { Content, Result } from '../../../../modules/application/web/pages/certificates/content.ts';
import { limitBeside } from '../../../../modules/application/web/texts/limit.ts';

const content = (plantLocation: string, collectedAt: string): Content => ({ sample: {
    trackingId: 'CB-26-0000042-Q', sampleIdentifier: 'CB-26-0000042-Q', clientName: 'Sunrise',
    project: null, materialType: 'Drinking water', plantLocation, collectedAt,
    collectionDate: '2026-10-28', receivedAt: null, externalId: null, remark: null } });

test('days and times of a difference are written as on the certificate', () => {
    const found = differences(content('Well 4', '2026-10-28T22:06:00-06:00'),
        content('Well 4', '2026-10-29T07:00:00-06:00'));
    assert.deepEqual(found.map(({ before, after }) => [before, after]),
        [['Oct 28, 2026 22:06', 'Oct 29, 2026 07:00']]);
});

test('a limit beside a unit does not repeat it', () => {
    assert.equal(limitBeside('mg/L', 'at most 45 mg/L'), 'at most 45');
    assert.equal(limitBeside('mg/L', 'at most 45 ug/L'), 'at most 45 ug/L');
    assert.equal(limitBeside(null, 'Absent'), 'Absent');
    assert.equal(limitBeside('mg/L', null), '');
});

const result = (more: Partial<Result> = {}): Result => ({
    sampleTestId: 1, testCode: 'PB', testName: 'Lead', method: 'EPA 200.8', result: '7', qualifier: null,
    unit: 'ug/L', specification: 'at most 15 ug/L', conformity: 'within', outOfSpecification: false,
    analyzedAt: '2026-11-20T10:00:00-07:00', remark: null, uncertainty: '± 1', accredited: true,
    confirmation: null, holdingTimeMet: true, reportingLimit: 0.5, methodDetectionLimit: 0.1,
    decisionRule: 'Simple acceptance.', ...more });

const changed = (before: Partial<Result>, after: Partial<Result>) =>
    differences({ results: [result(before)] }, { results: [result(after)] })
        .map((one) => `${one.what}: ${one.before} > ${one.after}`);

test('what is printed below a result', () => {
    assert.deepEqual(notesOf(result()), []);
    assert.deepEqual(notesOf(result({ qualifier: '<', confirmation: 'refuted', holdingTimeMet: false,
        remark: 'Measured twice.' })), ['Reporting limit 0.5.', 'Method detection limit 0.1.',
        'Confirmation: refuted.', 'The holding time was exceeded.', 'Measured twice.']);
});

test('two versions differ in all that is printed of a result', () => {
    assert.deepEqual(changed({}, {}), []);
    const each: [Partial<Result>, Partial<Result>, string][] = [
        [{ result: '<5', qualifier: '<' }, { result: '<5', qualifier: '<', unit: 'mg/L' }, 'PB: <5 ug/L > <5 mg/L'],
        [{}, { remark: 'Measured twice.' }, 'PB remark:  > Measured twice.'],
        [{}, { method: 'EPA 200.9' }, 'PB method: EPA 200.8 > EPA 200.9'],
        [{}, { uncertainty: '± 2' }, 'PB uncertainty: ± 1 > ± 2'],
        [{}, { conformity: 'outside' }, 'PB conformity: within > outside'],
        [{}, { confirmation: 'confirmed' }, 'PB confirmation:  > confirmed'],
        [{}, { accredited: false }, 'PB accredited: yes > no'],
        [{}, { holdingTimeMet: false }, 'PB notes:  > The holding time was exceeded.'],
        [{}, { decisionRule: 'Guard band.' }, 'PB decision rule: Simple acceptance. > Guard band.'],
        [{}, { analyzedAt: '2026-11-21T10:00:00-07:00' }, 'PB analysed: Nov 20, 2026 > Nov 21, 2026'],
    ];
    for (const [before, after, said] of each) {
        assert.deepEqual(changed(before, after), [said]);
    }
});

test('tests outside the scope of accreditation are named, and those of which nothing is said', () => {
    const of = (accreditation: string | null): Content => ({
        laboratory: { name: 'Cedar', address: null, accreditation },
        results: [result(), result({ testCode: 'ZN', accredited: false }),
            result({ testCode: 'CU', accredited: null })] });
    assert.deepEqual(outsideScope(of('17025, 4711')), ['ZN']);
    assert.ok(lacks(of('17025, 4711')).includes('Not said whether accredited: CU'));
    assert.deepEqual(outsideScope(of(null)), []);
    assert.ok(!lacks(of(null)).some((text) => text.includes('CU')));
});

test('two results of one test are told apart', () => {
    const two = (remark: string | null) => ({ results: [result(), result({ sampleTestId: 2, remark })] });
    assert.deepEqual(differences(two(null), two('Duplicate.')).map(({ what }) => what), ['PB (2) remark']);
});

test('decision rules name their tests where there are several', () => {
    assert.deepEqual(decisionRules([result(), result({ testCode: 'ZN' }), result({ decisionRule: null })]),
        ['Decision rule: Simple acceptance.']);
    assert.deepEqual(decisionRules([result(), result({ testCode: 'ZN', decisionRule: 'Guard band.' })]),
        ['Decision rule for PB: Simple acceptance.', 'Decision rule for ZN: Guard band.']);
});

test('what an amendment changed, in words', () => {
    const said = (member: string, old: unknown, now: unknown) =>
        changeIn({ member, testCode: 'PB', old, new: now });
    assert.equal(said('collectedAt', '2026-11-19T08:30:00-07:00', '2026-11-19T09:30:00-07:00'),
        'Collected: Nov 19, 2026 08:30 → Nov 19, 2026 09:30');
    assert.equal(said('tests[7].result', '9.2', '7.2'), 'PB result: 9.2 → 7.2');
    assert.equal(said('tests[7].outOfSpecification', 'true', 'false'), 'PB out of specification: yes → no');
    assert.equal(said('tests[7]', null, 'PB'), 'PB: none → PB');
});

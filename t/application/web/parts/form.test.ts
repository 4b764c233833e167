// SPDX-License-Identifier: Apache-2.0
//
// Forms: the body that is sent, edit conflicts, and the place of a refusal.
import assert from 'node:assert/strict';
import test from 'node:test';

import { bodyFrom, clashes, groupOf, merged } from '../../../../modules/application/web/form/draft.ts';
import type { Group } from '../../../../modules/application/web/form/draft.ts';
import { inLabels, labelsOf, mistakesOf } from '../../../../modules/application/web/form/mistakes.ts';
import { helpOf } from '../../../../modules/application/web/form/schema.ts';
import type { Schema } from '../../../../modules/application/web/form/schema.ts';
import { momentOf, shownAt } from '../../../../modules/application/web/texts/local-time.ts';

const zone = 'America/Denver';
const clock = {
    shown: (moment: string) => shownAt(moment, zone), moment: (text: string) => momentOf(text, zone),
};
const schema: Schema = { properties: {
    code: { type: 'string' },
    unit: { type: ['string', 'null'] },
    low: { type: ['number', 'null'] },
    kind: { type: 'string', enum: ['numeric', 'text'], default: 'numeric' },
    active: { type: 'boolean', default: true },
    composite: { type: 'boolean', default: false },
    until: { type: ['string', 'null'], format: 'date-time' },
    testIds: { type: 'array', items: { type: 'integer' } },
    steps: { type: 'array', items: { type: 'object', properties: {
        step: { type: 'string' }, medium: { type: ['string', 'null'] },
        hours: { type: 'integer' } } } },
    identity: { type: ['object', 'null'], properties: {
        type: { type: 'string' }, subject: { type: 'string' } } },
}, required: ['code'] };
const begin = (record: unknown): Group => groupOf(schema, record, clock);
const sent = (mine: Group, record: unknown = {}, isNew = true): unknown =>
    bodyFrom(schema, begin(record), { ...begin(record), ...mine }, isNew, clock);

test('of a new record what is filled in, and what the service has by default', () => {
    assert.deepEqual(sent({ code: 'CU' }), { code: 'CU', kind: 'numeric', active: true });
    assert.deepEqual(sent({ code: 'CU', active: false }),
        { code: 'CU', kind: 'numeric', active: false });
});

test('of a change what differs; what is emptied becomes null', () => {
    const record = { code: 'CU', unit: 'ug/L', low: 7.1, active: true };
    assert.deepEqual(sent({}, record, false), {});
    assert.deepEqual(sent({ unit: '', low: '7.25' }, record, false), { unit: null, low: 7.25 });
    assert.deepEqual(sent({ code: '' }, record, false), { code: '' },
        'the service refuses what may not be empty');
});

test('a number that is none is sent as it was typed', () => {
    assert.deepEqual(sent({ low: '7,1' }, {}, false), { low: '7,1' });
});

test('a time is typed as the laboratory sees it', () => {
    const record = { until: '2026-11-24T17:15:00Z' };
    assert.equal(begin(record)['until'], '2026-11-24T10:15');
    assert.deepEqual(sent({ until: '2026-07-01T10:15' }, record, false),
        { until: '2026-07-01T16:15:00.000Z' });
});

test('lists keep their order, rows leave out what is empty', () => {
    assert.deepEqual(sent({ testIds: ['9', '3'], steps: [{ step: 'BGLB', medium: '', hours: '48' }] },
        {}, false), { testIds: [9, 3], steps: [{ step: 'BGLB', medium: null, hours: 48 }] });
});

test('a group that is emptied is none', () => {
    const record = { identity: { type: 'ldap', subject: 'aruiz' } };
    assert.deepEqual(sent({ identity: { type: '', subject: '' } }, record, false), { identity: null });
});

test('two people: what both changed is asked, what one changed is kept', () => {
    const base = begin({ code: 'CU', unit: 'ug/L', low: 1 });
    const theirs = begin({ code: 'CU', unit: 'mg/L', low: 2 });
    const mine = { ...base, unit: 'ng/L', kind: 'text' };
    assert.deepEqual(clashes(base, theirs, mine),
        [{ name: 'unit', base: 'ug/L', theirs: 'mg/L', mine: 'ng/L' }]);
    assert.deepEqual(bodyFrom(schema, theirs, merged(base, theirs, mine, new Set()), false, clock),
        { unit: 'ng/L', kind: 'text' });
    assert.deepEqual(bodyFrom(schema, theirs, merged(base, theirs, mine, new Set(['unit'])), false,
        clock), { kind: 'text' });
});

test('a refusal stands at the member that it names', () => {
    const one = (message: string): [string, string][] =>
        [...mistakesOf({ message, mistakes: [] }, ['name', 'controls'])];
    assert.deepEqual(one('name is missing: say it'), [['name', 'name is missing: say it']]);
    assert.deepEqual(one('controls[0].type must be one of'),
        [['controls[0].type', 'controls[0].type must be one of']]);
    assert.deepEqual(one('name: another record has this value already'),
        [['name', 'name: another record has this value already']]);
    assert.deepEqual(one('The record is in use.'), []);
    assert.deepEqual([...mistakesOf({ message: '', mistakes: [{ path: 'unit', message: 'no' }] }, [])],
        [['unit', 'no']]);
});

test('a refusal is read with the labels of the form', () => {
    const labels = labelsOf({ specificationLow: { label: 'Lower limit' },
        'policies.qcRequired': { label: 'Required quality control' },
        controls: { label: 'Controls', members: { upperLimit: { label: 'Upper limit' } } } });
    assert.equal(inLabels('specificationHigh: 1 is below specificationLow, 2.', labels),
        '1 is below “Lower limit”, 2.');
    assert.equal(inLabels('controls[0].lowerLimit: 9 is above upperLimit, 8.', labels),
        '9 is above “Upper limit”, 8.');
    assert.equal(inLabels('qcRequired must be one of off, warn.', labels),
        '“Required quality control” must be one of off, warn.');
    assert.equal(inLabels('The record is in use.', labels), 'The record is in use.');
});

test('the help of a field is written for people, not for programs', () => {
    const help = (description: string) => helpOf({ description });
    assert.equal(help('Id of the user who does them; null: nobody in particular.'),
        'The user who does them; empty: nobody in particular.');
    assert.equal(help('Number of samples. Null: for any number in the organization.'),
        'Number of samples. Empty: for any number in the laboratory.');
    assert.equal(help('It cannot change once a result is verified (409 test_verified_locked).'),
        'It cannot change once a result is verified.');
    assert.equal(help('Sent alone, it must be the day of collectedAt.'),
        'Sent alone, it must be the day of collected at.');
    assert.equal(help('Storage in megabytes; null: as LimsFileStorage says.'),
        'Storage in megabytes; empty: as LimsFileStorage says.');
    assert.equal(help('pH of the sample, iCAP RQ'), 'pH of the sample, iCAP RQ');
    assert.equal(helpOf({}), undefined);
});

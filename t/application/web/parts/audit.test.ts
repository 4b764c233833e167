// SPDX-License-Identifier: Apache-2.0
//
// Values of the audit trail in words: never as the JSON that they are kept as.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fieldName, tableName, valueOf } from '../../../../modules/application/web/pages/audit/changes.ts';

const text = (said: string) => ({ is: 'text', text: said });

test('a list and a group are told apart from a text', () => {
    assert.deepEqual(valueOf('["1-3s","R-4s"]', null, 'rules'),
        { is: 'list', values: [text('1-3s'), text('R-4s')] });
    assert.deepEqual(valueOf('{"rows":3,"writtenAt":null,"whole":true}', null, 'counts'),
        { is: 'group', members: [['rows', text('3')], ['written at', { is: 'nothing' }],
            ['whole', { is: 'yes' }]] });
    assert.deepEqual(valueOf('"[1]"', null, 'notes'), text('[1]'));
});

test('a list or a group without anything is nothing', () => {
    assert.deepEqual(valueOf('[]', null, 'checks'), { is: 'nothing' });
    assert.deepEqual(valueOf('{}', null, 'decisions'), { is: 'nothing' });
});

test('a number stays as it was written, also within a list', () => {
    assert.deepEqual(valueOf('7.10', null, 'low'), text('7.10'));
    assert.deepEqual(valueOf('[1.50, "2.0 \\" 3", -1e5]', null, 'limits'),
        { is: 'list', values: [text('1.50'), text('2.0 " 3'), text('-1e5')] });
});

test('a code of the service is words, a text of a person stays', () => {
    assert.deepEqual(valueOf('"qa_officer"', null, 'role'), text('QA officer'));
    assert.deepEqual(valueOf('"growth_promotion"', null, 'kind'), text('growth promotion'));
    assert.deepEqual(valueOf('"my_file"', null, 'file_name'), text('my_file'));
    assert.deepEqual(valueOf('["lab_manager"]', null, 'roles'),
        { is: 'list', values: [text('lab manager')] });
});

test('days, times and names of records', () => {
    assert.deepEqual(valueOf('"2026-11-24"', null, 'due_date'), { is: 'day', day: '2026-11-24' });
    assert.deepEqual(valueOf('17', 'Ana Ruiz', 'entered_by'), text('Ana Ruiz'));
    assert.deepEqual(valueOf(null, null, 'notes'), { is: 'nothing' });
});

test('names of tables and columns are written as people write them', () => {
    assert.equal(tableName('qc_batch'), 'QC batch');
    assert.equal(fieldName('api_key_id'), 'API key');
    assert.equal(fieldName('external_id'), 'external id');
    assert.equal(fieldName('sampleTestId'), 'sample test');
});

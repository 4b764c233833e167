// SPDX-License-Identifier: Apache-2.0
//
// The API's reference: what becomes of an OpenAPI document, and of text with marks.
import assert from 'node:assert/strict';
import test from 'node:test';

import { resourcesOf } from '../../../../modules/application/web/pages/api-reference/document.ts';
import { blocksOf, piecesOf } from '../../../../modules/application/web/prose/blocks.ts';

const openapi = {
    info: { description: '' },
    paths: {
        '/samples': {
            post: {
                operationId: 'createSample', summary: 'Register', tags: ['Samples'],
                'x-scope': 'samples:write',
                parameters: [{ $ref: '#/components/parameters/key' }],
                requestBody: { content: { 'application/json':
                    { schema: { $ref: '#/components/schemas/Create' } } } },
                responses: {
                    201: { description: 'made', content: { 'application/json':
                        { schema: { allOf: [{ $ref: '#/components/schemas/Create' },
                            { properties: { id: { type: 'integer', format: 'int64' } } }] } } } },
                    401: { $ref: '#/components/responses/Unauthorized' },
                },
            },
        },
    },
    webhooks: { 'sample.created': { post: { operationId: 'onSampleCreated', summary: 'made',
        tags: ['Webhooks'], responses: {} } } },
    components: {
        parameters: { key: { name: 'Idempotency-Key', in: 'header',
            schema: { type: 'string', maxLength: 255 } } },
        responses: { Unauthorized: { description: 'no key' } },
        schemas: {
            Create: {
                type: 'object', required: ['name'],
                properties: {
                    name: { type: 'string', minLength: 1, maxLength: 9, description: 'Its name.' },
                    since: { type: ['string', 'null'], format: 'date' },
                    state: { type: 'string', enum: ['new', 'old'] },
                    tests: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/Test' } },
                },
            },
            Test: { type: 'object', properties: { code: { type: 'string' } } },
        },
    },
};

const [samples, webhooks] = resourcesOf(openapi);
const create = samples?.operations[0];

test('operations stand under their resource, webhooks last', () => {
    assert.deepEqual([samples?.tag, webhooks?.tag], ['Samples', 'Webhooks']);
    assert.equal(create?.method, 'POST');
    assert.equal(create?.scope, 'samples:write');
});

test('parameters and answers are looked up', () => {
    assert.deepEqual(create?.parameters.map(({ name, kind }) => [name, kind]),
        [['Idempotency-Key', 'header, string, 0 to 255 characters']]);
    assert.deepEqual(create?.answers.map(({ status, about }) => [status, about]),
        [['201', 'made'], ['401', 'no key']]);
});

test('members of the body with type, bounds and what stands in them', () => {
    assert.deepEqual(create?.body.map(({ name, depth, kind, required }) =>
        [name, depth, kind, required]), [
        ['name', 0, 'string, 1 to 9 characters', true],
        ['since', 0, 'date or null', false],
        ['state', 0, 'one of `new`, `old`', false],
        ['tests', 0, 'list of object, 0 to 3 items', false],
        ['code', 1, 'string', false],
    ]);
});

test('an answer made of several schemas has the members of all', () => {
    assert.deepEqual(create?.answers[0]?.members.map(({ name }) => name),
        ['name', 'since', 'state', 'tests', 'code', 'id']);
});

test('a schema that contains itself ends', () => {
    const self = structuredClone(openapi);
    Object.assign(self.components.schemas.Test.properties,
        { parts: { type: 'array', items: { $ref: '#/components/schemas/Test' } } });
    assert.ok((resourcesOf(self)[0]?.operations[0]?.body.length ?? 99) < 20);
});

test('headings, lists, tables and paragraphs', () => {
    assert.deepEqual(blocksOf('## Pages\n\nOne\nline.\n\n- a\n- b\n  more\n\n| x | y |\n|---|---|\n| 1 | `2` |'), [
        { is: 'heading', text: 'Pages' },
        { is: 'paragraph', text: 'One line.' },
        { is: 'list', items: ['a', 'b more'] },
        { is: 'table', head: ['x', 'y'], rows: [['1', '`2`']] },
    ]);
});

test('names between backticks; markup stays text', () => {
    assert.deepEqual(piecesOf('a `b` <img onerror=x>'), [{ name: false, text: 'a ' },
        { name: true, text: 'b' }, { name: false, text: ' <img onerror=x>' }]);
});

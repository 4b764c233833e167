// SPDX-License-Identifier: Apache-2.0
//
// The text of a profile while somebody writes it: the help for the place of the cursor, the place
// that a refusal names, and the order of its members.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { helpAt, inOrder, sectionsOf, textOf } from '../../../../modules/application/web/nouns/profile-members.ts';
import { spotAt, spotOf, spotsOf } from '../../../../modules/application/web/nouns/profile-text.ts';

// The tests are bundled into the build, which stands beside the sources.
const source = (name: string): string => readFileSync(
    join(dirname(process.argv[1] ?? ''), '../../../../conf/profiles', name), 'utf8');
const [, manual = ''] = /<!-- reference: begin -->\n(.*)<!-- reference: end -->/s
    .exec(source('README.md')) ?? [];
const sections = sectionsOf(manual);

const text = `{
  "code": "a \\" quote",
  "tests": [{ "name": "Nitrate", "convert": { "factor": "2" } }, { "name": "B" }],
  "rows": { "skip": [{ "when": [{ "column": "flag", "equals": ["x", "y"] }] }] },
  "columns": { "unit": { "header": "U" }, "flag": "Remark" }, "wide": true
}`;

const at = (what: string): string => {
    const { path = '', open = true } = spotAt(text, text.indexOf(what) + 1) ?? {};
    const help = helpAt(sections, path, open);
    return `${path}: ${help?.section.title}, ${help?.member}`;
};

test('the manual has a section for each object, with its members', () => {
    assert.equal(sections[0]?.title, 'The profile');
    assert.deepEqual(sections[0]?.members.slice(0, 2).map(({ name }) => name), ['code', 'name']);
    assert.ok(sections.length > 30);
    assert.ok(sections.every(({ about, members }) => about.length > 0 && members.length > 0
        && members.every(({ name }) => name !== '')));
});

test('help is about the member at the cursor, and the object around it', () => {
    assert.equal(at('{'), ': The profile, ');
    assert.equal(at('quote'), 'code: The profile, code');
    assert.equal(at('Nitrate'), 'tests[0].name: tests[], name');
    assert.equal(at('factor'), 'tests[0].convert.factor: tests[].convert, factor');
    assert.equal(at('{ "factor'), 'tests[0].convert: tests[].convert, ');
    assert.equal(at('"B"'), 'tests[1].name: tests[], name');
    assert.equal(at('"header'), 'columns.unit.header: A source, header');
    assert.equal(at('Remark'), 'columns.flag: columns, flag');
    assert.equal(at('"column"'), 'rows.skip[0].when[0].column: A condition, column');
    assert.equal(at('"y"'), 'rows.skip[0].when[0].equals[1]: A condition, equals');
    assert.equal(at('true'), 'wide: The profile, wide');
});

test('a text that is not whole has places, too', () => {
    assert.deepEqual(spotsOf('{ "code": "x", "tests": [{ "na').map(({ path }) => path),
        ['code', 'tests', 'tests[0]', 'tests[0].na']);
    assert.deepEqual(spotsOf('} ] , "').length, 0);
    assert.equal(spotAt('', 0), undefined);
});

test('a refusal leads to its member, or to the object in which that is missing', () => {
    const found = (refusal: string): string => {
        const spot = spotOf(text, refusal);
        return spot ? `${spot.path} ${text.slice(spot.from, spot.to).slice(0, 10)}` : '';
    };
    assert.equal(found('tests[0].convert.factor: must be a number'), 'tests[0].convert.factor "factor": ');
    assert.equal(found('tests[1].testCode: is missing'), 'tests[1] { "name": ');
    assert.equal(found('rows.final: is unknown'), 'rows "rows": { ');
    assert.equal(found('layout: is missing'), '');
    assert.equal(found('The profile is no object'), '');
    assert.equal(found('a]: odd'), '');
});

test('members stand in the order of the manual, and no value changes', () => {
    assert.deepEqual(Object.keys(inOrder(sections, { rows: {}, odd: 1, name: 'N', code: 'C' }) as object),
        ['code', 'name', 'rows', 'odd']);
    const definition: unknown = JSON.parse(source('thermo-qubit-flex.json'));
    const shown = textOf(sections, definition);
    assert.deepEqual(JSON.parse(shown), definition);
    assert.ok(shown.indexOf('"code"') < shown.indexOf('"match"'));
    assert.deepEqual(Object.keys((inOrder(sections, { tests: [{ unit: 'u', testCode: 'T', name: 'n' }] }) as
        { tests: object[] }).tests[0] ?? {}), sections.find(({ title }) => title === 'tests[]')
        ?.members.map(({ name }) => name).filter((name) => ['unit', 'testCode', 'name'].includes(name)));
});

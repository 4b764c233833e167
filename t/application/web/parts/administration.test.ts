// SPDX-License-Identifier: Apache-2.0
//
// The organization as its form has it and as the service has it, which limits apply to a test
// in a material, and places within each other.
import assert from 'node:assert/strict';
import test from 'node:test';

import { shape } from '../../../../modules/application/web/pages/organization/shape.ts';
import { byScope, limitsOf } from '../../../../modules/application/web/pages/reference/limits.ts';
import { treeOf } from '../../../../modules/application/web/pages/reference/tree.ts';

test('policies and steps have their place in the form, and find back', () => {
    const shaped = shape.record({ name: 'Cedar', policies: { qcRequired: 'off' },
        approvalSteps: ['Review', 'Release'], approvalStepRoles: [null, 'qa_officer'] });
    assert.equal(shaped['policies.qcRequired'], 'off');
    assert.deepEqual(shaped['steps'],
        [{ name: 'Review', role: null }, { name: 'Release', role: 'qa_officer' }]);
    assert.deepEqual(shape.body({ name: 'Cedars', 'policies.qcRequired': 'warn',
        steps: [{ name: 'Release', role: 'qa_officer' }, { name: 'Final', role: null }] }),
    { name: 'Cedars', policies: { qcRequired: 'warn' }, approvalSteps: ['Release', 'Final'],
        approvalStepRoles: ['qa_officer', null] });
    assert.deepEqual(shape.body({ name: 'Cedars' }), { name: 'Cedars' }, 'what is left out stays');
});

test('a refusal of the service stands at its member of the form', () => {
    assert.equal(shape.path('policies.sessionMinutes'), 'policies.sessionMinutes');
    assert.equal(shape.path('approvalSteps[1]'), 'steps[1].name');
    assert.equal(shape.path('approvalStepRoles[0]'), 'steps[0].role');
    assert.equal(shape.path('approvalStepRoles'), 'steps');
});

test('limits are those of the project, else of the material, else of the definition', () => {
    const own = { createdAt: '', updatedAt: '', expectedText: null, decisionRule: null,
        testDefinitionId: 1, materialTypeId: 2 };
    const all = byScope([
        { ...own, id: 7, projectId: null, low: 6, high: 9 },
        { ...own, id: 8, projectId: 3, low: null, high: 8 },
    ]);
    const ph = { id: 1, specificationLow: 6.5, specificationHigh: 8.5, specificationText: null };
    const of = (material: number, project: number | null): unknown[] => {
        const { low, high, from, id } = limitsOf(all, ph, material, project);
        return [low, high, from, id];
    };
    assert.deepEqual(of(2, 3), [null, 8, 'project', 8]);
    assert.deepEqual(of(2, 4), [6, 9, 'material', 7]);
    assert.deepEqual(of(2, null), [6, 9, 'material', 7]);
    assert.deepEqual(of(5, 3), [6.5, 8.5, 'definition', undefined]);
});

test('places are listed with what is within them, and none is lost', () => {
    const place = (id: number, code: string, parentId: number | null) => ({ id, code, parentId });
    const shown = treeOf([place(1, 'S10', 3), place(2, 'S9', 3), place(3, 'ROOM', null),
        place(4, 'AREA', 9), place(5, 'BOX', 2), place(6, 'X', 7), place(7, 'Y', 6)]);
    assert.deepEqual(shown.map(({ code, level }) => `${code} ${level}`),
        ['AREA 0', 'ROOM 0', 'S9 1', 'BOX 2', 'S10 1', 'X 0', 'Y 1']);
});

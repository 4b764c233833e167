// SPDX-License-Identifier: Apache-2.0
//
// The grid's model: typing, undo and redo, and answers of the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    changedByOthers, judged, keepMine, onTheirWay, refused, saved, takeTheirs,
} from '../../../../modules/application/web/grid/answers.ts';
import {
    type Model, leave, modelOf, redo, restore, set, type, undo, write,
} from '../../../../modules/application/web/grid/model.ts';
import {
    isEdited, needsReason, opinionOf, question, withRows,
} from '../../../../modules/application/web/grid/sheet.ts';
import { SEED, random } from './random.ts';
import { at, cell, having, row, sheet, typedIn, version } from './support.ts';

function typed(model: Model, r: number, c: number, ...texts: string[]): Model {
    return leave(texts.reduce((one, text) => type(one, at(r, c), text), model));
}

function verdict(asked: string) {
    return { question: asked, mark: 'within' as const, word: '', messages: [] };
}

test('what is typed until a cell is left is one step', () => {
    const model = typed(modelOf(sheet(2, ['PH'])), 0, 0, '7', '7.', '7.1', '7.10');
    assert.equal(cell(model.sheet, 0, 0).content.typed, '7.10');
    assert.equal(model.done.length, 1);
    assert.equal(cell(undo(model).sheet, 0, 0).content.typed, '');
    assert.equal(cell(redo(undo(model)).sheet, 0, 0).content.typed, '7.10');
});

test('Escape gives back what stood there, and leaves no step', () => {
    const first = typed(modelOf(sheet(1, ['PH'])), 0, 0, '7.1');
    const typing = type(type(first, at(0, 0), '9'), at(0, 0), '99');
    const back = restore(typing);
    assert.equal(cell(back.sheet, 0, 0).content.typed, '7.1');
    assert.equal(back.done.length, 1);
    assert.equal(restore(back), back, 'where nobody types, nothing is restored');
});

test('text that is taken back key by key leaves no step', () => {
    const model = type(type(modelOf(sheet(1, ['PH'])), at(0, 0), 'C'), at(0, 0), '');
    assert.equal(model.done.length, 0);
});

test('a locked cell and one without a test take nothing', () => {
    const given = having(sheet(1, ['PH', 'EC']), { r0c0: version('7.1', { lock: 'verified' }) });
    const hole = { ...given, rows: given.rows.map((one) => ({
        ...one, cells: one.cells.map((each, c) => (c === 1 ? { ...each, id: '' } : each)) })) };
    const model = write(modelOf(hole), [
        { place: at(0, 0), content: { typed: '1' } }, { place: at(0, 1), content: { typed: '2' } },
        { place: at(5, 0), content: { typed: '3' } },
    ]);
    assert.deepEqual(typedIn(model.sheet), [['7.1', '']]);
    assert.equal(model.done.length, 0);
});

test('rows that did not change stay the same objects', () => {
    const before = modelOf(sheet(3, ['PH', 'EC']));
    const after = typed(before, 1, 0, '7');
    assert.equal(after.sheet.rows[0], before.sheet.rows[0]);
    assert.notEqual(after.sheet.rows[1], before.sheet.rows[1]);
    assert.equal(after.sheet.rows[1]?.cells[1], before.sheet.rows[1]?.cells[1]);
});

test('a sheet that grows makes rows for what is written below it', () => {
    const growing = sheet(1, ['PH'], { grow: (index) => row(index, 1) });
    const model = write(modelOf(growing), [{ place: at(3, 0), content: { typed: '4' } }]);
    assert.deepEqual(typedIn(model.sheet), [[''], [''], [''], ['4']]);
    assert.equal(withRows(sheet(1, ['PH']), 9).rows.length, 1, 'others do not');
});

test('undo and redo, drawn at random, always give back what stood there', () => {
    const draw = random(SEED);
    for (let round = 0; round < 200; round++) {
        let model = modelOf(sheet(4, ['A', 'B', 'C']));
        const states = [typedIn(model.sheet)];
        for (let step = 0; step < 12; step++) {
            const changes = Array.from({ length: 1 + draw(5) }, () => ({
                place: at(draw(4), draw(3)), content: { typed: String(draw(30)) } }));
            const next = draw(2) === 0 ? write(model, changes)
                : typed(model, draw(4), draw(3), String(draw(9)), String(draw(99)));
            if (next.done.length > model.done.length) {
                states.push(typedIn(next.sheet));
            }
            model = next;
        }
        for (let index = states.length - 1; index >= 0; index--) {
            assert.deepEqual(typedIn(model.sheet), states[index], `LIMS_SEED=${SEED}`);
            model = undo(model);
        }
        for (const state of states) {
            assert.deepEqual(typedIn(model.sheet), state, `LIMS_SEED=${SEED}`);
            model = redo(model);
        }
    }
});

test('a new change forgets what could be redone', () => {
    const model = typed(undo(typed(modelOf(sheet(1, ['PH'])), 0, 0, '1')), 0, 0, '2');
    assert.equal(redo(model), model);
});

test('an answer about a text that has changed since is dropped', () => {
    const model = typed(modelOf(sheet(1, ['PH'])), 0, 0, '7.1');
    const asked = question(model.sheet, cell(model.sheet, 0, 0));
    const answered = judged(model, new Map([['r0c0', verdict(asked)]]));
    assert.equal(opinionOf(answered.sheet, cell(answered.sheet, 0, 0))?.mark, 'within');
    const later = typed(model, 0, 0, '7.2');
    assert.equal(judged(later, new Map([['r0c0', verdict(asked)]])), later);
    const on = typed(answered, 0, 0, '7.2');
    assert.equal(opinionOf(on.sheet, cell(on.sheet, 0, 0)), null, 'a former verdict is none');
});

test('a setting of the run is part of the question, and a cell may be excepted', () => {
    const model = typed(modelOf(sheet(1, ['PH', 'EC'])), 0, 0, '7.1');
    const before = question(model.sheet, cell(model.sheet, 0, 0));
    const lot = set(model, { reagentLotId: 4 });
    assert.notEqual(question(lot.sheet, cell(lot.sheet, 0, 0)), before);
    const excepted = write(lot, [{ place: at(0, 0), content: { exceptions: { reagentLotId: 9 } } }]);
    assert.match(question(excepted.sheet, cell(excepted.sheet, 0, 0)), /9/);
    assert.ok(isEdited(cell(excepted.sheet, 0, 0)));
    assert.equal(cell(undo(excepted).sheet, 0, 0).content.exceptions['reagentLotId'], undefined);
});

test('only an entered value asks for a reason', () => {
    const given = having(sheet(1, ['PH', 'EC'], { reasons: true }), { r0c0: version('7.1') });
    const model = typed(typed(modelOf(given), 0, 0, '7.2'), 0, 1, '8');
    assert.ok(needsReason(model.sheet, cell(model.sheet, 0, 0)));
    assert.ok(!needsReason(model.sheet, cell(model.sheet, 0, 1)));
    const told = write(model, [{ place: at(0, 0), content: { reason: 'read again' } }]);
    assert.ok(!needsReason(told.sheet, cell(told.sheet, 0, 0)));
    const spaces = write(model, [{ place: at(0, 0), content: { reason: '  ' } }]);
    assert.ok(needsReason(spaces.sheet, cell(spaces.sheet, 0, 0)));
});

test('what is saved is the new base, and what was typed meanwhile stays an edit', () => {
    const model = typed(modelOf(sheet(1, ['PH'])), 0, 0, '7.1');
    const content = cell(model.sheet, 0, 0).content;
    const sent = new Map([['r0c0', content]]);
    const on = onTheirWay(model, ['r0c0'], 'saving');
    const quiet = saved(on, new Map([['r0c0', version('7.1')]]), sent);
    assert.deepEqual([cell(quiet.sheet, 0, 0).phase, isEdited(cell(quiet.sheet, 0, 0))], ['saved', false]);
    const busy = saved(typed(on, 0, 0, '7.3'), new Map([['r0c0', version('7.1')]]), sent);
    const after = cell(busy.sheet, 0, 0);
    assert.deepEqual([after.content.typed, after.base.text, after.phase], ['7.3', '7.1', 'idle']);
    assert.ok(isEdited(after));
});

test('a refusal keeps what was typed, until it is typed again', () => {
    const model = typed(modelOf(sheet(1, ['PH'])), 0, 0, '7.1');
    const no = refused(model, new Map([['r0c0', 'Verified by Lena']]));
    assert.deepEqual([cell(no.sheet, 0, 0).phase, cell(no.sheet, 0, 0).content.typed], ['refused', '7.1']);
    assert.equal(cell(typed(no, 0, 0, '7.2').sheet, 0, 0).phase, 'idle');
});

test('somebody else entered another value: mine, theirs, and what it was', () => {
    const given = having(sheet(1, ['PH']), { r0c0: version('7.0') });
    const mine = typed(modelOf(given), 0, 0, '7.1');
    const both = changedByOthers(mine, new Map([['r0c0', version('6.9')]]));
    const it = cell(both.sheet, 0, 0);
    assert.deepEqual([it.content.typed, it.theirs?.text, it.base.text], ['7.1', '6.9', '7.0']);
    const kept = cell(keepMine(both, 'r0c0').sheet, 0, 0);
    assert.deepEqual([kept.content.typed, kept.base.text, kept.base.etag, kept.theirs],
        ['7.1', '6.9', 'etag of 6.9', null]);
    const taken = takeTheirs(both, 'r0c0');
    assert.ok(!isEdited(cell(taken.sheet, 0, 0)));
    assert.equal(cell(undo(taken).sheet, 0, 0).content.typed, '7.1', 'mine comes back by undo');
});

test('no conflict is made of the same value, of nothing typed, or of a remark', () => {
    const given = having(sheet(1, ['PH']), { r0c0: version('7.0') });
    const fresh = new Map([['r0c0', version('6.9')]]);
    assert.equal(cell(changedByOthers(modelOf(given), fresh).sheet, 0, 0).content.typed, '6.9');
    const alike = cell(changedByOthers(typed(modelOf(given), 0, 0, '6.9'), fresh).sheet, 0, 0);
    assert.deepEqual([alike.theirs, isEdited(alike)], [null, false]);
    const noted = new Map([['r0c0', version('7.0', { etag: 'with notes' })]]);
    const on = cell(changedByOthers(typed(modelOf(given), 0, 0, '7.1'), noted).sheet, 0, 0);
    assert.deepEqual([on.theirs, on.base.etag, on.content.typed], [null, 'with notes', '7.1']);
});

test('a value that was verified while somebody typed is a conflict, and can be taken', () => {
    const given = having(sheet(1, ['PH']), { r0c0: version('7.0') });
    const locked = version('7.0', { etag: 'verified', lock: 'Verified by Lena' });
    const both = changedByOthers(typed(modelOf(given), 0, 0, '7.1'), new Map([['r0c0', locked]]));
    assert.equal(cell(both.sheet, 0, 0).theirs?.lock, 'Verified by Lena');
    const taken = cell(takeTheirs(both, 'r0c0').sheet, 0, 0);
    assert.deepEqual([taken.content.typed, taken.base.lock, isEdited(taken)],
        ['7.0', 'Verified by Lena', false]);
});

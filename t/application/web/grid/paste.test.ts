// SPDX-License-Identifier: Apache-2.0
//
// Blocks from spreadsheets: where their cells go, what is left out and why, and that what is
// copied comes back the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cleared, copied, filledDown } from '../../../../modules/application/web/grid/copy.ts';
import { modelOf, undo, write } from '../../../../modules/application/web/grid/model.ts';
import { type Comma, type Plan, planPaste } from '../../../../modules/application/web/grid/paste.ts';
import { type Area, type Sheet, areaOf } from '../../../../modules/application/web/grid/sheet.ts';
import { readTsv, writeTsv } from '../../../../modules/application/web/grid/tsv.ts';
import { SEED, random } from './random.ts';
import { at, column, having, row, sheet, typedIn, version } from './support.ts';

function only(r: number, c: number): Area {
    return areaOf(at(r, c), at(r, c));
}

function planned(given: Sheet, text: string, area: Area, comma: Comma = 'ask') {
    const plan = planPaste(given, text, area, comma);
    assert.equal(plan.kind, 'planned');
    return plan as Extract<Plan, { kind: 'planned' }>;
}

function pasted(given: Sheet, text: string, area: Area, comma: Comma = 'ask'): string[][] {
    return typedIn(write(modelOf(given), planned(given, text, area, comma).changes).sheet);
}

function remarks(given: Sheet, text: string, area: Area): string[] {
    return planned(given, text, area).remarks.map((one) => `${one.code} ${one.given}`);
}

const texts: [string, string[][]][] = [
    ['', []],
    ['a', [['a']]],
    ['a\tb\r\nc\td\r\n', [['a', 'b'], ['c', 'd']]],
    ['a\rb', [['a'], ['b']]],
    ['a\t\n', [['a', '']]],
    ['a\t', [['a', '']]],
    ['\r\n', [['']]],
    ['a\n\nb\n', [['a'], [''], ['b']]],
    ['"two\nlines"\tb', [['two\nlines', 'b']]],
    ['"say ""yes"""\n', [['say "yes"']]],
    ['"a\tb"', [['a\tb']]],
    ['3" pipe\tb', [['3" pipe', 'b']]],
    ['"open\tb', [['"open', 'b']]],
    ['"" ""\tb', [['"" ""', 'b']]],
];

test('texts of spreadsheets', () => {
    for (const [text, block] of texts) {
        assert.deepEqual(readTsv(text), block, JSON.stringify(text));
    }
});

test('what is written is read the same, drawn at random', () => {
    const draw = random(SEED);
    const signs = ['a', '7', '.', ',', '"', '""', '\t', '\n', '\r\n', '\r', ' ', '<', 'µ', '水', ''];
    for (let round = 0; round < 2000; round++) {
        const width = 1 + draw(4);
        const block = Array.from({ length: 1 + draw(4) }, () => Array.from({ length: width },
            () => Array.from({ length: draw(5) }, () => signs[draw(signs.length)]).join('')));
        assert.deepEqual(readTsv(writeTsv(block)), block, `LIMS_SEED=${SEED}`);
    }
});

test('what is copied and pasted is the same, and undone at once', () => {
    const draw = random(SEED);
    for (let round = 0; round < 300; round++) {
        const values = Array.from({ length: 4 }, () => Array.from({ length: 3 },
            () => ['', '7.10', '<0.05', '-0', '1e3', 'Present', '0.030 J'][draw(7)] ?? ''));
        const source = having(sheet(4, ['A', 'B', 'C']), Object.fromEntries(values.flatMap(
            (line, r) => line.map((text, c) => [`r${r}c${c}`, version(text)]))));
        const area = areaOf(at(draw(4), draw(3)), at(draw(4), draw(3)));
        const target = sheet(4, ['A', 'B', 'C']);
        const plan = planned(target, copied(source, area), only(area.top, area.left));
        const model = write(modelOf(target), plan.changes);
        assert.equal(copied(model.sheet, area), copied(source, area), `LIMS_SEED=${SEED}`);
        assert.deepEqual(typedIn(undo(model).sheet), typedIn(target));
    }
});

test('values stay text', () => {
    const line = '7.10\t007\t1E+3\t0.30000000000000004\t<0.5\t 8 ';
    assert.deepEqual(pasted(sheet(1, ['A', 'B', 'C', 'D', 'E', 'F']), line, only(0, 0)),
        [['7.10', '007', '1E+3', '0.30000000000000004', '<0.5', '8']]);
});

test('a block is repeated over a selection that holds it a whole number of times', () => {
    assert.deepEqual(pasted(sheet(4, ['A', 'B']), '1', areaOf(at(0, 0), at(3, 1))),
        [['1', '1'], ['1', '1'], ['1', '1'], ['1', '1']]);
    assert.deepEqual(pasted(sheet(4, ['A']), '1\n2', areaOf(at(0, 0), at(3, 0))),
        [['1'], ['2'], ['1'], ['2']]);
    assert.deepEqual(pasted(sheet(4, ['A']), '1\n2', areaOf(at(0, 0), at(2, 0))),
        [['1'], ['2'], [''], ['']]);
});

test('ragged lines leave what they do not reach', () => {
    const given = having(sheet(2, ['A', 'B']), { r0c1: version('9') });
    assert.deepEqual(pasted(given, '1\n2\t3', only(0, 0)), [['1', '9'], ['2', '3']]);
});

test('each cell that is left out says why', () => {
    const given = having(sheet(2, ['A', column('B', { length: 4 })]),
        { r0c0: version('7', { lock: 'Verified by Lena' }) });
    assert.deepEqual(remarks(given, '1\t12345\t3\n"a\nb"\tx\u202Ey\n5\t\t', only(0, 0)),
        ['locked 1', 'too_long 12345', 'beyond_last_column 3', 'several_lines a\nb',
            'unseen_characters x\u202Ey', 'beyond_last_row 5']);
    assert.deepEqual(remarks(given, '7', only(0, 0)), [], 'but not where it is so already');
});

test('a test that was not ordered', () => {
    const given = sheet(1, ['A', 'B']);
    const hole = { ...given, rows: [row(0, 2, { cells: [
        { ...given.rows[0]!.cells[0]!, id: '' }, given.rows[0]!.cells[1]!] })] };
    assert.deepEqual(remarks(hole, '1\t2', only(0, 0)), ['not_ordered 1']);
    assert.deepEqual(remarks(hole, '\t2', only(0, 0)), [], 'nothing is said of nothing');
});

test('a decimal comma is asked about, once, and never guessed', () => {
    const given = sheet(3, ['A', column('Notes', { numeric: false })]);
    const text = '1,5\ta,b\n<0,05\t1,5\n1,234.5\t';
    const asked = planPaste(given, text, only(0, 0), 'ask');
    assert.deepEqual(asked, { kind: 'comma', examples: ['1,5', '<0,05'] });
    assert.deepEqual(pasted(given, text, only(0, 0), 'point'),
        [['1.5', 'a,b'], ['<0.05', '1,5'], ['1,234.5', '']]);
    assert.deepEqual(pasted(given, text, only(0, 0), 'keep'),
        [['1,5', 'a,b'], ['<0,05', '1,5'], ['1,234.5', '']]);
    assert.equal(planPaste(given, '1.5\tx', only(0, 0), 'ask').kind, 'planned');
});

test('too large, or nothing', () => {
    const refusal = (text: string) => {
        const plan = planPaste(sheet(1, ['A']), text, only(0, 0), 'ask');
        return plan.kind === 'refused' ? plan.remark.code : plan.kind;
    };
    assert.equal(refusal('1\t'.repeat(20_001)), 'too_large');
    assert.equal(refusal('1'.repeat(2_000_001)), 'too_large');
    assert.equal(refusal(''), 'nothing_to_paste');
});

test('columns by their headings, rows by their labels', () => {
    const given = sheet(3, [column('PH'), column('NO3N', { name: 'Nitrate-N', aliases: ['Nitrate'] })]);
    const [first, second, third] = given.rows.map((one) => one.label);
    const text = `Tracking ID\tPlace\tNitrate-N (mg/L)\tph\n${third}\tWell\t1\t7\n${first?.toLowerCase()}\tWell\t2\t8`;
    assert.deepEqual(pasted(given, text, only(2, 1)), [['8', '2'], ['', ''], ['7', '1']]);
    assert.deepEqual(pasted(given, `${second}\t5\t6`, only(0, 0)), [['', ''], ['5', '6'], ['', '']],
        'labels alone');
    assert.deepEqual(pasted(given, `${second}\t5`, only(0, 1)), [['', ''], ['', '5'], ['', '']],
        'the cursor says which column');
    assert.deepEqual(pasted(given, 'nitrate\n4\n5', only(1, 0)), [['', ''], ['', '4'], ['', '5']],
        'headings alone');
    assert.deepEqual(remarks(given, `${first}\t1\nCB-99\t2\n`, only(0, 0)), ['no_such_row 2']);
    assert.deepEqual(remarks(given, 'PH\tLead\n1\t2', only(0, 0)), ['no_such_column 2']);
});

test('a label that stands twice names no row', () => {
    const given = sheet(2, ['A']);
    const twice = { ...given, rows: [row(0, 1), row(1, 1, { label: row(0, 1).label })] };
    assert.deepEqual(pasted(twice, '1\n2', only(0, 0)), [['1'], ['2']]);
    assert.deepEqual(pasted(twice, `Tracking id\tA\n${row(0, 1).label}\t5`, only(0, 0)), [['5'], ['']]);
});

test('a value that happens to be a name makes no heading', () => {
    const given = sheet(2, [column('F', { numeric: false }), column('B'), column('C')]);
    assert.deepEqual(pasted(given, 'F\t1\t2\nG\t3\t4', only(0, 0)), [['F', '1', '2'], ['G', '3', '4']]);
});

test('a sheet that grows takes rows below its last', () => {
    const growing = sheet(1, ['A'], { grow: (index) => row(index, 1) });
    assert.deepEqual(pasted(growing, '1\n2\n3', only(0, 0)), [['1'], ['2'], ['3']]);
});

test('fill down, and clear', () => {
    const given = having(sheet(3, ['A', 'B']), { r0c0: version('1'), r0c1: version('2'),
        r1c0: version('3', { lock: 'verified' }) });
    const after = (changes: ReturnType<typeof cleared>) => typedIn(write(modelOf(given), changes).sheet);
    assert.deepEqual(after(filledDown(given, areaOf(at(0, 0), at(2, 1)))),
        [['1', '2'], ['3', '2'], ['1', '2']]);
    assert.deepEqual(after(filledDown(given, only(1, 1))), [['1', '2'], ['3', '2'], ['', '']]);
    assert.deepEqual(filledDown(given, only(0, 0)), []);
    assert.deepEqual(after(cleared(given, areaOf(at(0, 0), at(1, 1)))),
        [['', ''], ['3', ''], ['', '']]);
});

test('16,000 cells are planned and written within a blink', () => {
    const columns = Array.from({ length: 8 }, (_, c) => `C${c}`);
    const given = sheet(2000, columns);
    const text = writeTsv(Array.from({ length: 2000 }, (_, r) => columns.map((__, c) => `${r}.${c}0`)));
    // Measures the time of the processor: the clock also counts other work of the machine.
    const begun = process.cpuUsage();
    const model = write(modelOf(given), planned(given, text, only(0, 0)).changes);
    const { user, system } = process.cpuUsage(begun);
    const took = (user + system) / 1000;
    assert.equal(typedIn(model.sheet)[1999]?.[7], '1999.70');
    assert.ok(took < 1000, `took ${took} ms`);
});

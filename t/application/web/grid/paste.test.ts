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

const [FIRST, SECOND, THIRD] = [0, 1, 2].map((r) => row(r, 1).label);

test('a label that stands twice names no row', () => {
    const twice = { ...sheet(2, ['A']), rows: [row(0, 1), row(1, 1, { label: FIRST })] };
    const block = `Tracking id\tA\n${FIRST}\t5`;
    assert.deepEqual(pasted(twice, block, only(0, 0)), [[''], ['']]);
    assert.deepEqual(remarks(twice, block, only(0, 0)), ['several_rows 5']);
    assert.deepEqual(pasted(twice, '1\n2', only(0, 0)), [['1'], ['2']], 'nothing is named');
});

test('of two rows of a sample it is the one in which the test was ordered', () => {
    const { rows: [one, two], ...given } = sheet(2, ['A', 'B']);
    const hole = { ...two!.cells[1]!, id: '' };
    const again = { ...given, rows: [one!, { ...two!, label: one!.label, cells: [two!.cells[0]!, hole] }] };
    const block = `Tracking id\tA\tB\n${FIRST}\t5\t6`;
    assert.deepEqual(pasted(again, block, only(0, 0)), [['', '6'], ['', '']]);
    assert.deepEqual(remarks(again, block, only(0, 0)), ['several_rows 5']);
});

test('a line without an id is left out, and moves no other', () => {
    const given = sheet(3, ['A']);
    const block = `Tracking id\tA\n${THIRD}\t3\n\t9\n\t\n${FIRST}\t1\n\t`;
    assert.deepEqual(pasted(given, block, only(0, 0)), [['1'], [''], ['3']]);
    assert.deepEqual(remarks(given, block, only(0, 0)), ['no_label 9']);
});

test('the column of ids may stand anywhere, under any heading or none', () => {
    const given = sheet(3, ['NO3N', 'PH']);
    const wanted = [['1', '7'], ['', ''], ['3', '8']];
    for (const head of ['Sample ID', 'sample_id', 'Lab no.', 'Whatever', '']) {
        const block = `Vial\t${head}\tNO3N\tPH\n17\t${THIRD}\t3\t8\n18\t${FIRST}\t1\t7`;
        assert.deepEqual(pasted(given, block, only(1, 0)), wanted, head);
        assert.deepEqual(remarks(given, block, only(1, 0)),
            ['no_such_column 17', 'no_such_column 18'], head);
    }
    const bare = `17\t${THIRD}\t3\t8\n18\t${FIRST}\t1\t7`;
    assert.deepEqual(pasted(given, bare, only(1, 0)), wanted);
    assert.deepEqual(remarks(given, bare, only(1, 0)), ['no_heading 17', 'no_heading 18']);
});

test('unknown headings above ids put nothing into the column of the cursor', () => {
    const given = sheet(3, ['NO3N', 'PH']);
    for (const heads of ['Tracking id\tLead', 'Probe\tBlei', 'Tracking id\t']) {
        const block = `${heads}\n${SECOND}\t3`;
        assert.deepEqual(pasted(given, block, only(1, 0)), [['', ''], ['', ''], ['', '']], heads);
        assert.equal(remarks(given, block, only(1, 0)).length, 1, heads);
    }
    const few = `Vial\tSample\tx\ty\tz\tPH\n1\t${SECOND}\t3\t4\t5\t6`;
    assert.deepEqual(pasted(given, few, only(0, 0)), [['', ''], ['', '6'], ['', '']]);
});

test('the block of another run is not put down by position', () => {
    const given = sheet(2, ['NO3N']);
    const lines = 'CB-26-0009991-K\t3\nCB-26-0009992-L\t4';
    for (const block of [`Tracking id\tNO3N\n${lines}`, `Probe\tNO3N\n${lines}`, lines,
        'Sample ID\tNO3N\nWell\t3\nTap\t4']) {
        assert.deepEqual(pasted(given, block, only(0, 0)), [[''], ['']], block);
        assert.deepEqual(remarks(given, block, only(0, 0)), ['no_such_row 3', 'no_such_row 4'], block);
    }
});

test('a heading names the column of exactly that name, or the only one without its unit', () => {
    const given = sheet(1, [column('CR', { name: 'Chromium' }), column('CR6', { name: 'Chromium (VI)' })]);
    assert.deepEqual(pasted(given, 'Chromium (VI)\tChromium\n5\t6', only(0, 0)), [['6', '5']]);
    assert.deepEqual(pasted(given, 'Chromium (mg/L)\tCR6 [mg/L]\n5\t6', only(0, 0)), [['5', '6']]);
    assert.deepEqual(remarks(given, 'CR6\tChromium (III)\n5\t6', only(0, 0)), ['no_such_column 6']);
    const same = sheet(1, [column('A', { name: 'Iron' }), column('B', { name: 'Iron' })]);
    assert.deepEqual(remarks(same, 'Iron\n5', only(0, 0)), ['several_columns 5']);
    assert.deepEqual(pasted(same, 'Iron (mg/L)\tA\n5\t6', only(0, 0)), [['6', '']]);
});

test('two values for one cell are left out unless they are equal', () => {
    const given = sheet(2, ['A', 'B']);
    const columns = `Tracking id\tA\tA\tB\n${FIRST}\t1\t2\t3\n${SECOND}\t4\t4\t5`;
    assert.deepEqual(pasted(given, columns, only(0, 0)), [['', '3'], ['4', '5']]);
    assert.deepEqual(remarks(given, columns, only(0, 0)), ['given_twice 1', 'given_twice 2']);
    const lines = `Tracking id\tA\tB\n${FIRST}\t1\t3\n${FIRST}\t2\t3`;
    assert.deepEqual(pasted(given, lines, only(0, 0)), [['', '3'], ['', '']]);
    assert.equal(planned(given, lines, only(0, 0)).changes.length, 1, 'equal ones are one change');
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

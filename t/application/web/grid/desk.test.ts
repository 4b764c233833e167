// SPDX-License-Identifier: Apache-2.0
//
// A grid from key to record and back: what is typed is judged, what is saved is sent once,
// what somebody else did is met, and what does not arrive waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as acts from '../../../../modules/application/web/grid/acts.ts';
import { Desk, type Entry } from '../../../../modules/application/web/grid/desk.ts';
import { type Kind, lookOf, problems, sum } from '../../../../modules/application/web/grid/look.ts';
import type { Outcome } from '../../../../modules/application/web/grid/saving.ts';
import { isUnsaved } from '../../../../modules/application/web/grid/sheet.ts';
import type { Sheet, Version } from '../../../../modules/application/web/grid/sheet.ts';
import { Hands, at, cell, having, settled, sheet, typedIn, version } from './support.ts';

// A service that keeps records, judges above 10 outside and refuses what is called "bad".
class Service {
    readonly records = new Map<string, Version>();
    readonly reasons: string[] = [];
    readonly settings: unknown[] = [];
    reachable = true;
    judged = 0;
    entered = 0;

    judge(entries: ReadonlyMap<string, Entry>) {
        if (!this.reachable) {
            return { kind: 'unreachable' as const, retryAfter: null };
        }
        this.judged += entries.size;
        return {
            kind: 'judged' as const,
            verdicts: new Map([...entries].map(([id, entry]) => [id, {
                question: entry.question,
                mark: entry.content.typed.length > 2 ? 'outside' as const : 'within' as const,
                word: '',
                messages: entry.content.typed.length > 2 ? ['outside ≤ 10'] : [],
            }])),
        };
    }

    enter(entries: ReadonlyMap<string, Entry>): Outcome {
        if (!this.reachable) {
            return { kind: 'unreachable', retryAfter: null };
        }
        const others = [...entries.values()].filter(({ id, base }) =>
            (this.records.get(id)?.etag ?? base.etag) !== base.etag);
        if (others.length > 0) {
            return { kind: 'conflict',
                versions: new Map(others.map(({ id }) => [id, this.records.get(id) ?? version()])) };
        }
        if ([...entries.values()].some((entry) => entry.content.typed === 'bad')) {
            return { kind: 'refused', message: 'No such value.' };
        }
        entries.forEach((entry, id) => {
            this.entered++;
            this.reasons.push(entry.content.reason);
            this.settings.push(entry.settings);
            this.records.set(id, version(entry.content.typed));
        });
        return { kind: 'saved',
            versions: new Map([...entries.keys()].map((id) => [id, this.records.get(id)!])) };
    }
}

function open(given: Sheet) {
    const hands = new Hands();
    const service = new Service();
    let keys = 0;
    const desk = new Desk(given, {
        clock: hands,
        key: () => `key ${++keys}`,
        judge: async (entries) => service.judge(entries),
        send: async (entries) => service.enter(entries),
    });
    const kind = (row: number, column: number): Kind =>
        lookOf(desk.sheet, cell(desk.sheet, row, column)).kind;
    const put = (row: number, column: number, text: string) => {
        desk.do(acts.point(at(row, column), false));
        desk.do(acts.type(text));
    };
    const save = async () => {
        desk.save();
        for (let i = 0; i < 5; i++) {
            await settled();
        }
    };
    return { desk, hands, service, kind, put, save };
}

test('typed, judged, saved', async () => {
    const { desk, hands, service, kind, put, save } = open(sheet(2, ['PH', 'EC']));
    put(0, 0, '7');
    put(1, 1, '700');
    assert.equal(kind(0, 0), 'plain');
    await hands.pass(250);
    assert.deepEqual([kind(0, 0), kind(1, 1)], ['within', 'outside']);
    assert.equal(service.entered, 0, 'leaving a cell writes nothing');
    assert.ok(desk.unsaved);
    const unsaved = () => desk.sheet.rows.map(({ cells }) => cells.map(isUnsaved));
    assert.deepEqual(unsaved(), [[true, false], [false, true]], 'a typed cell tells itself');
    await save();
    assert.deepEqual(unsaved(), [[false, false], [false, false]], 'until it is saved');
    assert.equal(service.entered, 2);
    assert.ok(!desk.unsaved);
    assert.deepEqual(sum(desk.sheet), { entered: 2, empty: 2, edited: 0 });
    await save();
    assert.equal(service.entered, 2, 'what is saved is not sent again');
});

test('a paste is judged as a whole, in calls of 200', async () => {
    const { desk, hands, service } = open(sheet(200, ['A', 'B', 'C', 'D', 'E', 'F']));
    desk.do(acts.paste(Array.from({ length: 200 }, () => '1\t2\t3\t4\t5\t6').join('\n')));
    await hands.pass(250);
    assert.equal(service.judged, 1200);
    assert.deepEqual(desk.store.get().said, { code: 'pasted', values: { cells: 1200, left: 0 } });
    assert.deepEqual(desk.store.get().cursor, { at: at(0, 0), from: at(199, 5) });
    desk.press({ do: 'undo' }, 10);
    assert.deepEqual(typedIn(desk.sheet)[199], ['', '', '', '', '', '']);
});

test('a setting of the run is judged anew, a saved cell is not', async () => {
    const { desk, hands, service, put, save } = open(sheet(2, ['PH']));
    put(0, 0, '7');
    await hands.pass(250);
    await save();
    put(1, 0, '8');
    await hands.pass(250);
    desk.do(acts.set({ reagentLotId: 3 }));
    await hands.pass(250);
    assert.equal(service.judged, 3);
    desk.do(acts.point(at(1, 0), false));
    desk.do(acts.except({ reagentLotId: 9 }));
    await save();
    assert.deepEqual(service.settings, [{}, { reagentLotId: 9 }]);
});

test('commas: the paste waits for the answer, which is kept', () => {
    const { desk } = open(sheet(2, ['PH']));
    desk.do(acts.paste('7,1'));
    assert.deepEqual(desk.store.get().asking?.examples, ['7,1']);
    assert.deepEqual(typedIn(desk.sheet), [[''], ['']]);
    desk.do(acts.answerComma(null));
    assert.equal(desk.store.get().asking, null);
    desk.do(acts.paste('7,1'));
    desk.do(acts.answerComma('point'));
    desk.do(acts.point(at(1, 0), false));
    desk.do(acts.paste('8,2'));
    assert.deepEqual(typedIn(desk.sheet), [['7.1'], ['8.2']]);
});

test('a reason is asked for what replaces an entered value, and the rest is saved', async () => {
    const { desk, service, kind, put, save } = open(
        having(sheet(2, ['PH'], { reasons: true }), { r0c0: version('7') }));
    put(0, 0, '8');
    put(1, 0, '9');
    await save();
    assert.deepEqual([service.entered, desk.store.get().reasoning, kind(0, 0)], [1, true, 'reason']);
    desk.do(acts.reason('read again'));
    await save();
    assert.deepEqual(service.reasons, ['', 'read again']);
    assert.ok(!desk.store.get().reasoning);
});

test('two people on one cell: both values are seen, and one is chosen', async () => {
    const { desk, service, kind, put, save } = open(having(sheet(3, ['PH']), { r0c0: version('7') }));
    service.records.set('r0c0', version('6'));
    put(0, 0, '8');
    put(1, 0, '9');
    await save();
    assert.deepEqual([kind(0, 0), kind(1, 0), service.entered], ['conflict', 'plain', 1]);
    assert.equal(service.records.get('r0c0')?.text, '6', 'nothing is written over theirs');
    await save();
    assert.equal(service.entered, 1, 'not before it is settled');
    desk.do(acts.keepMine('r0c0'));
    await save();
    assert.equal(service.records.get('r0c0')?.text, '8');
});

test('a record whose notes changed is no conflict: its cell is sent again', async () => {
    const { service, put, save } = open(having(sheet(1, ['PH']), { r0c0: version('7') }));
    service.records.set('r0c0', version('7', { etag: 'with notes' }));
    put(0, 0, '8');
    await save();
    assert.equal(service.records.get('r0c0')?.text, '8');
});

test('a setting for one cell is kept and sent when somebody else touches its record', async () => {
    const noted = version('7', { etag: 'with notes' });
    const { desk, service, save } = open(having(sheet(1, ['PH'], { settings: { reagentLotId: 4 } }),
        { r0c0: version('7') }));
    desk.do(acts.point(at(0, 0), false));
    desk.do(acts.except({ reagentLotId: 9 }));
    desk.refresh(new Map([['r0c0', noted]]), 0);
    assert.ok(desk.unsaved, 'read while nothing is sent');
    service.records.set('r0c0', version('7', { etag: 'with more notes' }));
    await save();
    assert.deepEqual([service.settings, desk.unsaved], [[{ reagentLotId: 9 }], false],
        'met when it is sent');
    desk.refresh(new Map([['r0c0', noted]]), Number.MAX_VALUE);
    assert.equal(cell(desk.sheet, 0, 0).content.exceptions['reagentLotId'], 9,
        'it holds for the next value of the cell');
});

test('a value entered by two people, with a setting for the cell by one, is theirs to settle',
    async () => {
        const { desk, service, kind, put, save } = open(sheet(1, ['PH']));
        put(0, 0, '7');
        desk.do(acts.except({ reagentLotId: 9 }));
        service.records.set('r0c0', version('7', { etag: 'theirs' }));
        await save();
        assert.deepEqual([kind(0, 0), service.entered], ['conflict', 0]);
        desk.do(acts.keepMine('r0c0'));
        await save();
        assert.deepEqual(service.settings, [{ reagentLotId: 9 }]);
    });

test('who takes theirs has no setting of the cell left to send', () => {
    const { desk, put } = open(having(sheet(1, ['PH']), { r0c0: version('7') }));
    put(0, 0, '8');
    desk.do(acts.except({ reagentLotId: 9 }));
    desk.refresh(new Map([['r0c0', version('6')]]), 0);
    desk.do(acts.takeTheirs('r0c0'));
    assert.deepEqual([typedIn(desk.sheet), desk.unsaved], [[['6']], false]);
});

test('a refusal stands at its cell, and the others are saved', async () => {
    const { desk, service, kind, put, save } = open(sheet(3, ['PH']));
    put(0, 0, '7');
    put(1, 0, 'bad');
    put(2, 0, '9');
    await save();
    assert.deepEqual([kind(0, 0), kind(1, 0), kind(2, 0)], ['plain', 'refused', 'plain']);
    assert.equal(service.entered, 2);
    const [problem] = problems(desk.sheet);
    assert.deepEqual([problem?.place, problem?.look.messages], [at(1, 0), ['No such value.']]);
    desk.do(acts.point(at(2, 0), false));
    desk.press({ do: 'problem', back: false }, 10);
    assert.deepEqual(desk.store.get().cursor.at, at(1, 0), 'F8 comes back to the first');
});

test('without a network cells wait, and are saved when it is back', async () => {
    const { desk, hands, service, kind, put, save } = open(sheet(1, ['PH']));
    service.reachable = false;
    put(0, 0, '7');
    await save();
    assert.equal(kind(0, 0), 'waiting');
    assert.ok(desk.way.get().progress?.nextTry);
    assert.ok(desk.unsaved);
    service.reachable = true;
    await hands.pass(1000);
    assert.deepEqual([service.entered, desk.unsaved], [1, false]);
    assert.equal(desk.way.get().progress?.nextTry, null);
});

test('what somebody else entered appears, and never over what is typed here', () => {
    const { desk, kind, put } = open(sheet(2, ['PH']));
    put(0, 0, '7');
    desk.refresh(new Map([['r0c0', version('6')], ['r1c0', version('5', { lock: 'Verified' })]]), 0);
    assert.deepEqual(typedIn(desk.sheet), [['7'], ['5']]);
    assert.deepEqual([kind(0, 0), kind(1, 0)], ['conflict', 'locked']);
});

test('what the service was asked for before a cell was saved never takes its place', async () => {
    const { desk, hands, put, save } = open(sheet(1, ['PH']));
    const before = hands.now();
    await hands.pass(10);
    put(0, 0, '7');
    await save();
    const cellOf = () => desk.sheet.rows[0]?.cells[0];
    const saved = cellOf()?.base.etag;
    desk.refresh(new Map([['r0c0', version('6')]]), before);
    assert.deepEqual([typedIn(desk.sheet), cellOf()?.base.etag], [[['7']], saved]);
    desk.refresh(new Map([['r0c0', version('6')]]), hands.now());
    assert.deepEqual(typedIn(desk.sheet), [['6']], 'what it is asked for later does');
});

test('Escape is the grid\'s only where there is something to give back', () => {
    const { desk, put } = open(sheet(1, ['PH']));
    assert.ok(!desk.press({ do: 'restore' }, 10));
    put(0, 0, '7');
    assert.ok(desk.press({ do: 'restore' }, 10));
    assert.deepEqual(typedIn(desk.sheet), [['']]);
    assert.ok(!desk.press({ do: 'next', by: 'column', back: false }, 10), 'Tab leaves the grid');
});

const sentBack = (text: string) => version(text, { returned: 'Sent back by Ines: look again.' });

test('a value that was sent back is confirmed as it is, and sent', async () => {
    const { desk, service, kind, save } = open(having(sheet(2, ['PH']), { r0c0: sentBack('7.1') }));
    assert.equal(kind(0, 0), 'returned');
    assert.deepEqual(problems(desk.sheet).map(({ look }) => look.messages[0]),
        ['Sent back by Ines: look again.']);
    await save();
    assert.equal(service.entered, 0, 'it is not sent by itself');
    desk.do(acts.point(at(0, 0), false));
    assert.ok(desk.press({ do: 'confirm' }, 10));
    assert.ok(desk.unsaved);
    desk.press({ do: 'undo' }, 10);
    assert.ok(!desk.unsaved, 'a confirmation is undone like an entry');
    desk.do(acts.confirm);
    await save();
    assert.equal(service.entered, 1);
    assert.deepEqual([kind(0, 0), desk.unsaved], ['plain', false]);
    assert.ok(!desk.press({ do: 'confirm' }, 10), 'nothing is left to confirm');
});

test('the same value typed or pasted over one that was sent back confirms it', async () => {
    const returned = having(sheet(2, ['PH']), { r0c0: sentBack('7.1'), r1c0: sentBack('8') });
    const { desk, service, put, save } = open({ ...returned, reasons: true });
    put(0, 0, '7');
    desk.do(acts.type('7.1'));
    desk.do(acts.point(at(1, 0), false));
    desk.do(acts.paste('8'));
    assert.deepEqual(sum(desk.sheet).edited, 2);
    await save();
    assert.equal(service.entered, 0, 'where reasons are asked for, it has one of its own');
    desk.do(acts.reason('read again'));
    await save();
    assert.deepEqual(service.reasons, ['read again', 'read again']);
});

test('a confirmation stays when the record is read again, and ends with its return', () => {
    const { desk } = open(having(sheet(1, ['PH']), { r0c0: sentBack('7.1') }));
    desk.do(acts.confirm);
    desk.refresh(new Map([['r0c0', { ...sentBack('7.1'), etag: 'assigned' }]]), 1);
    assert.ok(desk.unsaved);
    desk.refresh(new Map([['r0c0', version('7.1', { etag: 'entered again' })]]), 2);
    assert.ok(!desk.unsaved);
});

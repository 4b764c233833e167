// SPDX-License-Identifier: Apache-2.0
//
// From what was typed to the order that is sent: names, times, tests, and mistakes at the
// cells they are about.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { paste, point, type } from '../../../../modules/application/web/grid/acts.ts';
import { collectedOf } from '../../../../modules/application/web/pages/orders/collected.ts';
import {
    type Answer, OrderDesk, type OrderPorts,
} from '../../../../modules/application/web/pages/orders/order-desk.ts';
import { readBlock } from '../../../../modules/application/web/pages/orders/pasting.ts';
import {
    EMPTY_FORM, type Reading, readOrder, wrongOf,
} from '../../../../modules/application/web/pages/orders/reading.ts';
import { type References, called }
    from '../../../../modules/application/web/pages/orders/references.ts';
import { columnsOf, emptySheet } from '../../../../modules/application/web/pages/orders/sheet.ts';
import { orderedOf } from '../../../../modules/application/web/pages/orders/tests.ts';

const named = (id: number, code: string, name: string) => ({ id, code, name, active: true });

const references: References = {
    clients: [named(1, 'MVWD', 'Mesa Verde Water District'), named(2, 'T2', 'Twin'),
        named(3, 'T3', 'Twin')],
    projects: [{ ...named(5, 'LCR', 'Lead and copper rule'), clientId: 1 }],
    materials: [named(7, 'DW', 'Drinking water'), named(8, 'SLUDGE', 'Sludge')],
    panels: [{ ...named(9, 'METALS', 'Metals of taps'), testDefinitionIds: [11, 12] }],
    definitions: [named(11, 'PB', 'Lead'), named(12, 'CU', 'Copper'), named(13, 'AS', 'Arsenic'),
        named(14, 'TCEC', 'Total coliform and E. coli')],
};

const today = '2026-11-24';
const zone = 'America/Denver';
const reader = { references, today, zone };

test('what a record is called', () => {
    const ids = (text: string): number[] => called(references.clients, text).map(({ id }) => id);
    assert.deepEqual(ids(' mesa  verde water district'), [1]);
    assert.deepEqual(ids('mvwd'), [1]);
    assert.deepEqual(ids('MVWD, Mesa Verde Water District'), [1]);
    assert.deepEqual(ids('Twin'), [2, 3], 'a name that two have names both');
    assert.deepEqual(ids('t3'), [3], 'a code names one');
    assert.deepEqual(ids('Mesa'), [], 'half a name names nobody');
});

const times: [string, string, unknown][] = [
    ['', '', {}],
    ['', '2026-11-20', { collectionDate: '2026-11-20' }],
    ['2026-11-24', '', { collectionDate: '2026-11-24' }],
    ['2026-11-24 06:15', '', { collectedAt: '2026-11-24T13:15:00.000Z' }],
    ['2026-11-24T06:15:30', '', { collectedAt: '2026-11-24T13:15:00.000Z' }],
    ['06:15', '2026-11-24', { collectedAt: '2026-11-24T13:15:00.000Z' }],
    ['6:15 PM', '2026-11-24', { collectedAt: '2026-11-25T01:15:00.000Z' }],
    ['12:05 a.m.', '2026-11-24', { collectedAt: '2026-11-24T07:05:00.000Z' }],
    ['Nov 24 06:15', '', { collectedAt: '2026-11-24T13:15:00.000Z' }],
    ['24 November 2026, 06:15', '', { collectedAt: '2026-11-24T13:15:00.000Z' }],
    ['Nov 24, 2026', '', { collectionDate: '2026-11-24' }],
    ['Dec 30', '', { collectionDate: '2025-12-30' }],
];

test('the time of the order is that of rows that say none', () => {
    const order = { day: '2026-11-24', time: '08:15' };
    const at = (text: string): unknown => collectedOf(text, order, today, zone);
    assert.deepEqual(at(''), { collectedAt: '2026-11-24T15:15:00.000Z' });
    assert.deepEqual(at('06:15'), { collectedAt: '2026-11-24T13:15:00.000Z' }, 'a time of its own');
    assert.deepEqual(at('2026-11-23'), { collectionDate: '2026-11-23' }, 'of another day none');
});

test('times of collection', () => {
    for (const [text, day, expected] of times) {
        assert.deepEqual(collectedOf(text, { day, time: '' }, today, zone), expected, JSON.stringify(text));
    }
    for (const text of ['11/12/2026', '11/12/2026 06:15', '2026-02-30', '25:00', '13:15 PM', 'noon']) {
        assert.ok('mistake' in collectedOf(text, { day: '2026-11-24', time: '' }, today, zone), `${text} is no time`);
    }
    assert.ok('mistake' in collectedOf('06:15', { day: '', time: '' }, today, zone), 'a time without a day');
});

test('a time that the clock skips or shows twice is not guessed', () => {
    const at = (text: string, time = ''): unknown =>
        collectedOf(text, { day: '2026-11-01', time }, today, zone);
    for (const said of [at('2026-11-01 01:30'), at('', '01:00'), at('2026-03-08 02:30')]) {
        assert.ok('mistake' in (said as object), JSON.stringify(said));
    }
    assert.deepEqual(at('2026-11-01 01:30-07:00'), { collectedAt: '2026-11-01T08:30:00.000Z' });
    assert.deepEqual(at('2026-11-01T07:30Z'), { collectedAt: '2026-11-01T07:30:00.000Z' });
    assert.deepEqual(at('2026-11-01 00:59'), { collectedAt: '2026-11-01T06:59:00.000Z' });
    assert.deepEqual(at('2026-11-01 02:00'), { collectedAt: '2026-11-01T09:00:00.000Z' });
    assert.deepEqual(at('2026-03-08 03:00'), { collectedAt: '2026-03-08T09:00:00.000Z' });
    assert.ok('mistake' in (at('2026-02-30 06:15Z') as object), 'no such day');
});

test('tests of a row', () => {
    const base = { testDefinitionIds: [], panelIds: [9] };
    const read = (text: string) => orderedOf(references, text, base);
    assert.deepEqual(read('PB CU'), { testDefinitionIds: [11, 12], panelIds: [] });
    assert.deepEqual(read('pb; Copper'), { testDefinitionIds: [11, 12], panelIds: [] });
    assert.deepEqual(read('Total coliform and E. coli, metals'),
        { testDefinitionIds: [14], panelIds: [9] }, 'a name may have spaces');
    assert.deepEqual(read('+AS'), { testDefinitionIds: [13], panelIds: [9] });
    assert.deepEqual(read('-CU'), { testDefinitionIds: [11], panelIds: [] });
    assert.deepEqual(read('-CU +AS'), { testDefinitionIds: [11, 13], panelIds: [] });
    assert.ok('mistake' in read('PB XX'));
});

test('a test whose name has a comma is named by it, among others too', () => {
    const named = (id: number, code: string, name: string) => ({ id, code, name, active: true });
    const known = { panels: [], definitions: [named(1, 'TN', 'Nitrogen, total'),
        named(2, 'N', 'Nitrogen'), named(3, 'KN', 'Nitrogen, Kjeldahl, dissolved'),
        named(4, 'A1', 'Solids, dried'), named(5, 'A2', 'Solids, dried')] };
    const ids = (text: string) => {
        const read = orderedOf(known, text, { testDefinitionIds: [1, 2], panelIds: [] });
        return 'mistake' in read ? read.mistake : read.testDefinitionIds;
    };
    assert.deepEqual(ids('Nitrogen, total'), [1]);
    assert.deepEqual(ids('nitrogen; Nitrogen, total, Nitrogen, Kjeldahl, dissolved,'), [2, 1, 3]);
    assert.deepEqual(ids('-Nitrogen, total'), [2]);
    assert.deepEqual(ids('N, KN'), [2, 3]);
    assert.deepEqual(ids('TN, Nitrogen, total'), [1], 'as it is suggested');
    assert.equal(typeof ids('Solids, dried'), 'string', 'a name of two tests is not taken apart');
});

const columns = columnsOf(EMPTY_FORM, references, true);
const titles = columns.map(({ key }) => key);

test('what the columns of a pasted block are', () => {
    const sheet = emptySheet(columns);
    const known = readBlock(sheet, 'Matrix\tSite\tRemarks\nDW\tTap 1\tnone', 0);
    assert.equal(known.kind, 'known', 'headings that match need no question');
    assert.deepEqual(known.kind === 'known' && known.block.columns,
        ['Material', 'Location', 'Notes'].map((title) => titles.indexOf(title)));
    const some = readBlock(sheet, 'Site\tRain\tMatrix\nTap 1\t3 mm\tDW', 0);
    assert.equal(some.kind, 'asked', 'an unknown heading is asked about');
    const twice = readBlock(sheet, 'Site\tLocation\nTap 1\tTap 2', 0);
    assert.equal(twice.kind, 'asked', 'two columns of one name are asked about');
    const none = readBlock(sheet, 'Tap 1\tDW\nTap 2\tDW', 0);
    assert.deepEqual(none.kind === 'known' && [none.block.headed, none.block.columns],
        [false, [0, 1]], 'without headings it goes where the cursor stands');
    assert.equal(readBlock(sheet, 'Tap 1\tDW', columns.length - 1).kind, 'asked',
        'beyond the last column it is asked about');
    assert.equal(readBlock(sheet, 'Tap 1', 0).kind, 'cell');
});

function desk(answers: (Answer | Promise<Answer>)[] = [], given: Partial<OrderPorts> = {}) {
    const sent: { reading: Reading; key?: string; receives?: boolean }[] = [];
    const next = (): Promise<Answer> => Promise.resolve(
        answers.shift() ?? { kind: 'judged', mistakes: [], allowance: null });
    let keys = 0;
    const ports: OrderPorts = {
        now: () => 0,
        key: () => `key ${++keys}`,
        reader: () => reader,
        names: () => null,
        check: (reading) => {
            sent.push({ reading });
            return next();
        },
        register: (reading, key, receipt) => {
            sent.push({ reading, key, receives: receipt !== null });
            return next();
        },
        ...given,
    };
    return { desk: new OrderDesk(ports, true), sent };
}

const block = ['Location\tMaterial\tCollected', 'Tap 1\tDW\t06:15', '\t\t', 'Tap 3\t\t06:40']
    .join('\n');

test('an order as it is sent', async () => {
    const { desk: order, sent } = desk();
    order.fill({ client: 'MVWD', project: 'LCR', material: 'Sludge', tests: 'METALS',
        collected: '2026-11-24', contact: ' Samuel ' });
    order.paste(block);
    await order.check();
    assert.deepEqual(sent[0]?.reading.body, {
        clientId: 1, orderNumber: null, contact: 'Samuel',
        samples: [['Tap 1', 7, '2026-11-24T13:15:00.000Z'], ['Tap 3', 8, '2026-11-24T13:40:00.000Z']]
            .map(([plantLocation, materialTypeId, collectedAt]) => ({
                projectId: 5, priority: 'routine', materialTypeId, collectedAt,
                testDefinitionIds: [], panelIds: [9], plantLocation, externalId: null, notes: null,
            })),
    }, 'rows without anything are none, and what they leave empty is the order\'s');
    assert.deepEqual(order.status.get().checked, { at: 0, rows: 2, refused: 0 });
});

const phase = (order: OrderDesk, row: number, title: string): string => {
    const cell = order.sheet.rows[row]?.cells[titles.indexOf(title)];
    return cell?.phase === 'refused' ? cell.refusal : cell?.phase ?? '';
};

test('mistakes stand at their cells, until these are changed', async () => {
    const { desk: order } = desk([{ kind: 'judged', allowance: { left: 88 }, mistakes: [
        { path: 'samples[1].plantLocation', error: 'invalid_body', message: 'plantLocation: is required' },
        { path: 'samples[0].materialTypeId', error: 'missing', message: 'is missing' },
        { path: 'orderNumber', error: 'invalid_body', message: 'is taken' },
        { path: 'samples', error: 'sample_limit_exceeded', message: 'too many' },
    ] }]);
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\nTap 1\tWine\n\t\nTap 3\tDW');
    await order.check();
    assert.equal(phase(order, 0, 'Material'), 'No material is called Wine.',
        'what is said here comes before what the service says of it');
    assert.equal(phase(order, 2, 'Location'), 'Is required', 'the second that was sent');
    const { fields, messages, allowance, checked } = order.status.get();
    assert.deepEqual([fields.orderNumber, messages, allowance?.left, checked?.refused],
        ['Is taken', ['Too many'], 88, 2]);
    order.do((state) => type('DW')({ ...state,
        cursor: { at: { row: 0, column: 1 }, from: { row: 0, column: 1 } } }));
    assert.equal(phase(order, 0, 'Material'), 'idle');
    assert.equal(order.status.get().checked, null, 'the check no longer holds');
});

test('what is changed during a check is checked, too', async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const { desk: order, sent } = desk([new Promise((resolve) => answers.push(resolve)),
        { kind: 'judged', allowance: null, mistakes: [
            { path: 'contact', error: 'invalid_body', message: 'is too long' }] }]);
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\nTap 1\tDW');
    const checked = order.check();
    order.fill({ contact: 'Samuel' });
    answers[0]?.({ kind: 'judged', mistakes: [], allowance: null });
    await checked;
    assert.deepEqual(sent.map(({ reading }) => reading.body['contact']), [null, 'Samuel']);
    assert.equal(order.status.get().fields.contact, 'Is too long',
        'the answer to what stood before says nothing about what stands now');
});

test('names that are still on their way are waited for', async () => {
    const none: References =
        { clients: [], projects: [], materials: [], panels: [], definitions: [] };
    let known = none;
    let end = (): void => undefined;
    const read = new Promise<void>((resolve) => {
        end = resolve;
    });
    const { desk: order, sent } = desk([], {
        reader: () => ({ ...reader, references: known }),
        names: () => known === none ? read : null,
    });
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\nTap 1\tDW');
    const checked = order.check();
    assert.deepEqual([order.status.get().busy, order.status.get().fields], [true, {}],
        'nobody is said to be unknown meanwhile');
    known = references;
    end();
    await checked;
    assert.equal(sent[0]?.reading.body.clientId, 1);
    assert.deepEqual(order.status.get().checked, { at: 0, rows: 1, refused: 0 });
});

test('names that cannot be read are no mistakes of the order', async () => {
    const { desk: order, sent } = desk([], { names: () => Promise.resolve() });
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\nTap 1\tDW');
    assert.equal(await order.register(false), null);
    const { busy, checked, messages } = order.status.get();
    assert.deepEqual([sent.length, busy, checked], [0, false, null]);
    assert.match(messages.join(), /cannot be reached/);
});

test('an order is not sent without its client, and registered once', async () => {
    const { desk: order, sent } = desk([
        { kind: 'unreachable' }, { kind: 'unreachable' }, { kind: 'registered', orderId: 3 }]);
    order.paste('Location\tMaterial\nTap 1\tDW');
    assert.equal(await order.register(true), null);
    assert.equal(sent.length, 0);
    assert.ok(order.status.get().fields.client);
    order.fill({ client: 'MVWD' });
    assert.equal(await order.register(true), null);
    order.fill({ contact: 'Samuel' });
    assert.equal(await order.register(true), null);
    assert.equal(await order.register(true), 3);
    assert.deepEqual(sent.map(({ key, receives }) => [key, receives]),
        [['key 1', true], ['key 2', true], ['key 2', true]],
        'the same order keeps its key until its fate is known');
    assert.equal(order.unsaved, false, 'what is registered is no longer here');
});

test('an order whose answer was lost is registered once, whichever button is pressed next', async () => {
    const { desk: order, sent } = desk([{ kind: 'unreachable' }, { kind: 'unreachable' },
        { kind: 'registered', orderId: 3 }]);
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\tBottles\nTap 1\tDW\t2');
    await order.register(false);
    await order.register(true);
    order.fill({ temperature: '4.1' });
    assert.equal(await order.register(true), 3);
    assert.deepEqual(sent.map(({ key, receives }) => [key, receives]),
        [['key 1', false], ['key 1', true], ['key 1', true]]);
});

test('while an order is being registered it cannot be changed, and the person is told', async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const { desk: order } = desk([new Promise((resolve) => answers.push(resolve))]);
    order.fill({ client: 'MVWD' });
    order.paste('Location\tMaterial\nTap 1\tDW');
    const registered = order.register(false);
    const changes: [string, () => void][] = [
        ['a field', () => order.fill({ contact: 'Samuel' })],
        ['a cell', () => order.do(paste('Tap 2'))],
        ['a block', () => order.paste('Location\tMaterial\nTap 9\tDW')],
        ['undo', () => order.press({ do: 'undo' }, 1)],
        ['all of it', () => order.clear()],
    ];
    const before = [order.form.get(), order.sheet.rows];
    for (const [what, change] of changes) {
        order.status.update((status) => ({ ...status, messages: [] }));
        change();
        assert.deepEqual([order.form.get(), order.sheet.rows], before, what);
        assert.match(order.status.get().messages.join(), /is being registered/, what);
    }
    order.do(point({ row: 4, column: 0 }, false));
    assert.equal(order.store.get().cursor.at.row, 4, 'the cursor still moves');
    answers[0]?.({ kind: 'unreachable' });
    assert.equal(await registered, null);
    order.fill({ contact: 'Samuel' });
    assert.equal(order.form.get().contact, 'Samuel', 'afterwards it can be changed again');
});

test('what was typed for the receipt is known before an order is registered alone', () => {
    const { desk: order } = desk();
    order.paste('Location\tMaterial\tBottles\nTap 1\tDW\t2\nTap 2\tDW\t');
    assert.deepEqual(order.forReceipt, ['Bottles: of 1 sample']);
    order.fill({ temperature: ' 4.1', condition: 'intact' });
    assert.deepEqual(order.forReceipt,
        ['Cooler, °C: 4.1', 'Condition: intact', 'Bottles: of 1 sample']);
    order.clear();
    assert.deepEqual(order.forReceipt, []);
});

test('a receipt that the service would refuse is told before anything is registered', async () => {
    const { desk: order, sent } = desk();
    order.fill({ client: 'MVWD', temperature: '5000' });
    order.paste('Location\tMaterial\tBottles\nTap 1\tDW\t99999\nTap 2\tDW\t10000');
    assert.equal(await order.register(true), null);
    assert.match(order.status.get().fields.temperature ?? '', /1000 at most/);
    assert.equal(order.status.get().checked?.refused, 1, 'the row with too many containers');
    assert.deepEqual(sent.filter(({ key }) => key !== undefined), []);
});

test('rows are added and copied', () => {
    const { desk: order } = desk();
    order.paste('Location\tMaterial\tExternal id\nTap 1\tDW\tCOC-1');
    order.do((state) => ({ ...state,
        cursor: { at: { row: 0, column: 0 }, from: { row: 0, column: 0 } } }));
    order.copyRows();
    const typed = (row: number) => order.sheet.rows[row]?.cells.map(({ content }) => content.typed);
    assert.deepEqual(typed(1), ['Tap 1', 'DW', '', '', '', '', ''], 'but for what is unique');
    order.press({ do: 'undo' }, 1);
    assert.deepEqual(typed(1), ['', '', '', '', '', '', ''], 'as one step');
    order.addRows(10);
    assert.equal(order.sheet.rows.length, 30);
});

test('mistakes of the service name what was sent, not what stands in the sheet', () => {
    const sheet = emptySheet(columns);
    const reading = { ...readOrder(sheet, EMPTY_FORM, reader), rows: [4, 7] };
    const [at] = wrongOf([{ path: 'samples[1].externalId', error: 'x', message: 'm' }], reading, sheet);
    assert.deepEqual(at?.place, { row: 7, column: titles.indexOf('External id') });
});

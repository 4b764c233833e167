// SPDX-License-Identifier: Apache-2.0
//
// What a reviewer does: with all that is ticked, and with the row of the cursor.
import { ask } from '../../actions/ask.ts';
import { within } from '../../actions/action.ts';
import type { Action } from '../../actions/action.ts';
import { retestAction, returnAction, trackingId, valueOf, verification } from '../../actions/verify.ts';
import { t } from '../../texts/texts.ts';
import type { Line } from './queue.ts';

export interface Queue {
    lines: Line[];
    ticked: Line[];
    // The row of the cursor.
    at: Line | undefined;
    chosen: ReadonlyMap<number, string>;
    toggle: (line: Line) => void;
    choose: (id: number, reason: string) => void;
}

const can = ({ kind }: Line): boolean => kind === null || kind === 'look';

function chosenOf({ chosen, ticked }: Queue): ReadonlyMap<number, string> {
    return new Map([...chosen].filter(([id]) => ticked.some(({ test }) => test.id === id)));
}

// About the row alone.
export const lineActions: Action<{ line: Line; queue: Queue }>[] = [
    {
        id: 'sample-test.choose',
        title: () => t.verify.choose,
        permission: 'result.verify',
        keys: 'c',
        visible: ({ line }) => can(line) && !line.test.reported,
        perform: ({ line, queue }) => ask({
            kind: 'reason',
            title: t.verify.chooseOne(`${trackingId(line.test)} ${line.test.testCode} `
                + valueOf(line.test)),
            explanation: t.verify.chooseWhat,
            reason: 'must',
            perform: async ({ reason = '' }) => {
                queue.choose(line.test.id, reason);
                // Who chooses a result means to verify it.
                if (!queue.ticked.includes(line)) {
                    queue.toggle(line);
                }
            },
        }),
    },
    within(returnAction, ({ line }) => line.test),
    within(retestAction, ({ line }) => line.test),
];

export const queueActions: Action<Queue>[] = [
    {
        id: 'queue.verify',
        title: ({ ticked }) => t.verify.verify(ticked.length),
        permission: 'result.verify',
        step: true,
        keys: 'V',
        refused: ({ ticked }) => ticked.length ? undefined : t.verify.verifyNone,
        perform: (queue) => ask(verification(queue.ticked.map(({ test }) => test),
            chosenOf(queue))),
    },
    {
        id: 'queue.toggle',
        title: () => t.verify.toggle,
        permission: 'result.verify',
        rare: true,
        keys: 'v',
        visible: ({ at }) => at !== undefined,
        refused: ({ at }) => at && !can(at) ? at.looks[0]?.text : undefined,
        perform: ({ at, toggle }) => at ? toggle(at) : undefined,
    },
    ...lineActions.map((action) => ({
        ...within(action, (queue: Queue) => queue.at && { line: queue.at, queue }), rare: true,
    })),
];

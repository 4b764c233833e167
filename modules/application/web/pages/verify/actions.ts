// SPDX-License-Identifier: Apache-2.0
//
// Actions of a reviewer, on all ticked results or on the row with the cursor.
import { within } from '../../acting/action.ts';
import type { Action } from '../../acting/action.ts';
import { ask } from '../../acting/ask.ts';
import { retestAction, returnAction, trackingId, verification } from '../../actions/verify.ts';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';
import type { Line } from './queue.ts';

export interface Queue {
    lines: Line[];
    ticked: Line[];
    // The row of the cursor.
    at: Line | undefined;
    chosen: ReadonlyMap<number, string>;
    toggle: (line: Line) => void;
    // Chooses results for the report when they are verified, and therefore ticks them.
    choose: (lines: Line[], reason: string) => void;
}

const can = ({ kind }: Line): boolean => kind === null || kind === 'look';

function chosenOf({ chosen, ticked }: Queue): ReadonlyMap<number, string> {
    return new Map([...chosen].filter(([id]) => ticked.some(({ test }) => test.id === id)));
}

const nameOf = ({ test }: Line): string =>
    `${trackingId(test)} ${test.testCode} ${valueOf(test)} ${test.unit ?? ''}`.trim();

// Makes an action of the row with the cursor alone.
export const lineActions: Action<{ line: Line; queue: Queue }>[] = [
    {
        id: 'sample-test.choose',
        title: () => t.verify.choose,
        permission: 'result.verify',
        keys: 'c',
        visible: ({ line }) => can(line) && !line.test.reported,
        perform: ({ line, queue }) => ask({
            kind: 'reason',
            title: t.verify.chooseOne(nameOf(line)),
            explanation: t.verify.chooseWhat,
            reason: 'must',
            perform: async ({ reason = '' }) => queue.choose([line], reason),
        }),
    },
    within(returnAction, ({ line }) => line.test),
    within(retestAction, ({ line }) => line.test),
];

const isStopped = ({ kind }: Line): boolean => kind === 'stop';

// Finds retests of results that can no longer be verified, as after a run was repeated: the retest
// is the one to be reported.
const repeated = ({ lines, chosen }: Queue): Line[] => lines.filter((line) => can(line)
    && !line.test.reported && !chosen.has(line.test.id)
    && lines.some((other) => isStopped(other) && other.test.id === line.test.retestOf));

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
        id: 'queue.choose',
        title: (queue) => t.verify.chooseMany(repeated(queue).length),
        permission: 'result.verify',
        keys: 'C',
        visible: (queue) => repeated(queue).length > 0,
        perform: (queue) => {
            const lines = repeated(queue);
            ask({
                kind: 'reason',
                title: t.verify.chooseMany(lines.length),
                explanation: t.verify.chooseWhat,
                lines: lines.map(nameOf),
                reason: 'must',
                perform: async ({ reason = '' }) => queue.choose(lines, reason),
            });
        },
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

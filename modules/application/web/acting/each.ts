// SPDX-License-Identifier: Apache-2.0
//
// Applies one act to several records in turn, and reports for each whether it was done or refused.
// The act ends when its person signs out.
import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { turnOf } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { leadsOf } from './action.ts';

// `done` makes the message about n records. A single refusal is thrown, so that a dialog shows it.
export async function each<One>(
    records: One[], name: (one: One) => string, act: (one: One) => Promise<unknown>,
    done: (count: number) => string,
): Promise<void> {
    const refused: { name: string; problem: Problem }[] = [];
    const turn = turnOf();

    for (const record of records) {
        if (turn.aborted) {
            return;
        }
        try {
            await act(record);
        } catch (error) {
            refused.push({ name: name(record), problem: asProblem(error) });
        }
    }
    const [first] = refused;
    if (first && records.length === 1) {
        throw first.problem;
    }
    say({
        tone: first ? 'attention' : 'ready',
        text: first
            ? `${done(records.length - refused.length)} ${t.notDone(refused.length)}`
            : done(records.length),
        details: refused.map((one) => ({ text: `${one.name}: ${t.sentence(one.problem)}`,
            leads: one.problem.blockers.flatMap(leadsOf) })),
    });
}

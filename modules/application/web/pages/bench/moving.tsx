// SPDX-License-Identifier: Apache-2.0
//
// Moves the status of samples on with their results, in the act that saves: who enters them
// chooses whether.
import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { statusChanged } from '../../actions/sample-status.ts';
import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { clock, pause } from '../../grid/clock.ts';
import { storeOf } from '../../grid/store.ts';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';

const texts = t.bench.moving;

// Holds for all runs, until the tab is closed.
const moves = storeOf(true);

// As long as a repeated request is known to be the same one (api/once.ts).
const mostTries = 12;

// Asks until the service answers, as the results before were sent.
async function untilAnswered<T>(ask: () => Promise<T>, tries = 0): Promise<T> {
    try {
        return await ask();
    } catch (error) {
        const problem = asProblem(error);
        if (!problem.passing || tries >= mostTries) {
            throw error;
        }
        await new Promise<void>((resolve) => {
            clock.after(pause(tries, problem.pause), resolve);
        });
        return untilAnswered(ask, tries + 1);
    }
}

async function advance(sampleIds: number[]): Promise<void> {
    const { samples } = await untilAnswered(() =>
        answer(api.POST('/samples/advance', { body: { sampleIds } })));
    if (samples.length === 0) {
        return;
    }
    const movedTo = (status: string): number =>
        samples.filter((one) => one.status === status).length;
    const refused = samples.filter(({ error }) => error !== null);
    say({
        tone: refused.length ? 'attention' : 'ready',
        text: texts.moved(movedTo('processing'), movedTo('completed'), refused.length),
        details: refused.map(({ trackingId, message }) => `${trackingId}: ${message}`),
    });
    await statusChanged();
}

// Moves samples on whose results were saved. The results stand in any case.
export function moveOn(saved: readonly { sampleId: number }[]): void {
    if (moves.get() && saved.length > 0) {
        advance([...new Set(saved.map(({ sampleId }) => sampleId))]).catch(tell);
    }
}

export function Moving(): ReactElement {
    const chosen = useSyncExternalStore(moves.subscribe, moves.get);
    return (
        <label>
            <span>{texts.label}</span>
            <select value={chosen ? 'move' : 'stay'}
                onChange={({ target }) => moves.update(() => target.value === 'move')}>
                <option value="move">{texts.move}</option>
                <option value="stay">{texts.stay}</option>
            </select>
        </label>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// The way of a desk to the service: judging, and entering many results at once.
import { answer, api } from '../../api/client.ts';
import { Problem, problemOf } from '../../api/problem.ts';
import { ownerOf } from '../../api/session.ts';
import { clock } from '../../grid/clock.ts';
import type { DeskPorts, Entry } from '../../grid/desk.ts';
import type { Judgement } from '../../grid/judging.ts';
import type { Outcome } from '../../grid/saving.ts';
import type { Settings, Verdict } from '../../grid/sheet.ts';
import { t } from '../../texts/texts.ts';
import type { ControlDesk } from './control-desk.ts';
import { givenBy } from './entry.ts';
import { moveOn } from './moving.tsx';
import { opinionOf } from './opinion.ts';
import type { SampleTest } from './run.ts';
import { versionsOf } from './sheet.ts';

const texts = t.bench;

const given = ({ id, content, base, numeric, settings }: Entry) =>
    ({ sampleTestId: Number(id), ...givenBy(content, base, numeric), ...settings });

const update = (entry: Entry) => ({
    ...given(entry),
    ifMatch: entry.base.etag,
    ...(entry.content.reason ? { reason: entry.content.reason } : {}),
});

const unreachable = ({ pause }: Problem) =>
    ({ kind: 'unreachable' as const, retryAfter: pause });

function conflictsOf(problem: Problem): SampleTest[] {
    const { body } = problem;
    return typeof body === 'object' && body !== null && 'conflicts' in body
        && Array.isArray(body.conflicts)
        ? body.conflicts.map((one: { record: SampleTest }) => one.record) : [];
}

function refused(problem: Problem): Outcome & Judgement {
    return { kind: 'refused', message: `${t.sentence(problem)} ${problem.slug}`,
        whole: problem.status === 403 };
}

type Verdicts = [string, Verdict][];

async function judgeTests(entries: readonly Entry[]): Promise<Verdicts> {
    if (entries.length === 0) {
        return [];
    }
    const { results } = await answer(api.POST('/sample-tests/judge', {
        body: { results: entries.map(given) } }));
    return results.map((one, i) => [String(one.sampleTestId), {
        question: entries[i]?.question ?? '',
        ...opinionOf({ ...one, presumptive: one.presumptive ?? false }),
    }]);
}

async function judge(
    entries: ReadonlyMap<string, Entry>, controls: ControlDesk,
): Promise<Judgement> {
    const all = [...entries.values()];
    const verdicts = await Promise.all([
        judgeTests(all.filter(({ kind }) => kind === 'sample')),
        controls.judge(all.filter(({ kind }) => kind === 'control')),
    ]);
    return { kind: 'judged', verdicts: new Map(verdicts.flat()) };
}

async function enter(entries: ReadonlyMap<string, Entry>, key: string): Promise<Outcome> {
    const { data, error, response } = await api.POST('/sample-tests/bulk-results', {
        body: { updates: [...entries.values()].map(update) },
        headers: { 'Idempotency-Key': key },
    });
    if (!data) {
        throw problemOf(response, error);
    }
    moveOn(data.updated);
    return { kind: 'saved', versions: versionsOf(data.updated) };
}

// Why a setting cannot be used, or needs a look, said before anything is typed: the service is
// asked about one test of the run as if it were entered so.
export async function objections(id: string, settings: Settings): Promise<string[]> {
    const results = [{ sampleTestId: Number(id), result: null, ...settings }];
    const { data } = await api.POST('/sample-tests/judge', { body: { results } });
    return (data?.results ?? []).flatMap(({ refusals, entryWarnings }) =>
        [...refusals, ...entryWarnings].map(({ message }) => message));
}

// Turns every failure into an outcome: no exception may lose what was typed.
async function judgeOrFailure(
    entries: ReadonlyMap<string, Entry>, controls: ControlDesk,
): Promise<Judgement> {
    try {
        return await judge(entries, controls);
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, {});
        return problem.passing ? unreachable(problem) : refused(problem);
    }
}

async function enterOrFailure(
    entries: ReadonlyMap<string, Entry>, key: string, controls: ControlDesk,
): Promise<Outcome> {
    try {
        const [first] = entries.values();
        return await (first?.kind === 'control' ? controls.enter(first, key)
            : enter(entries, key));
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, {});
        if (problem.status === 412) {
            return { kind: 'conflict', versions: versionsOf(conflictsOf(problem)) };
        }
        return problem.passing ? unreachable(problem) : refused(problem);
    }
}

export function portsOf(owner: string, controls: ControlDesk): DeskPorts {
    const own = (): boolean => ownerOf() === owner;
    const notOwn = { kind: 'refused' as const, message: texts.somebodyElse };
    return {
        clock,
        key: () => crypto.randomUUID(),
        judge: async (entries) => own() ? judgeOrFailure(entries, controls) : notOwn,
        send: async (entries, key) => own() ? enterOrFailure(entries, key, controls) : notOwn,
    };
}

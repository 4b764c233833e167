// SPDX-License-Identifier: Apache-2.0
//
// The way of a desk to the service: judging, and entering many results at once.
import { api } from '../../api/client.ts';
import { Problem, problemOf } from '../../api/problem.ts';
import { ownerOf } from '../../api/session.ts';
import { clock } from '../../grid/clock.ts';
import type { DeskPorts, Entry } from '../../grid/desk.ts';
import type { Judgement } from '../../grid/judging.ts';
import type { Outcome } from '../../grid/saving.ts';
import type { Settings } from '../../grid/sheet.ts';
import { t } from '../../texts/texts.ts';
import { sentOf } from './entry.ts';
import { opinionOf } from './opinion.ts';
import type { SampleTest } from './run.ts';
import { versionsOf } from './sheet.ts';

const texts = t.bench;

const given = ({ id, content, numeric, settings }: Entry) =>
    ({ sampleTestId: Number(id), ...sentOf(content.typed, numeric), ...settings });

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
    return { kind: 'refused', message: `${t.sentence(problem)} ${problem.slug}` };
}

async function judge(entries: ReadonlyMap<string, Entry>): Promise<Judgement> {
    const results = [...entries.values()].map(given);
    const { data, error, response } = await api.POST('/sample-tests/judge', { body: { results } });
    if (!data) {
        throw problemOf(response, error);
    }
    return {
        kind: 'judged',
        verdicts: new Map(data.results.map((one) => {
            const id = String(one.sampleTestId);
            const question = entries.get(id)?.question ?? '';
            const presumptive = one.presumptive ?? false;
            return [id, { question, ...opinionOf({ ...one, presumptive }) }];
        })),
    };
}

async function enter(entries: ReadonlyMap<string, Entry>, key: string): Promise<Outcome> {
    const { data, error, response } = await api.POST('/sample-tests/bulk-results', {
        body: { updates: [...entries.values()].map(update) },
        headers: { 'Idempotency-Key': key },
    });
    if (!data) {
        throw problemOf(response, error);
    }
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

// Whatever goes wrong is an outcome: a cell never loses what was typed by an exception.
async function judgeOrSay(entries: ReadonlyMap<string, Entry>): Promise<Judgement> {
    try {
        return await judge(entries);
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, {});
        return problem.passing ? unreachable(problem) : refused(problem);
    }
}

async function enterOrSay(entries: ReadonlyMap<string, Entry>, key: string): Promise<Outcome> {
    try {
        return await enter(entries, key);
    } catch (error) {
        const problem = error instanceof Problem ? error : new Problem(0, {});
        if (problem.status === 412) {
            return { kind: 'conflict', versions: versionsOf(conflictsOf(problem)) };
        }
        return problem.passing ? unreachable(problem) : refused(problem);
    }
}

export function portsOf(owner: string): DeskPorts {
    const own = (): boolean => ownerOf() === owner;
    const notOwn = { kind: 'refused' as const, message: texts.somebodyElse };
    return {
        clock,
        key: () => crypto.randomUUID(),
        judge: async (entries) => own() ? judgeOrSay(entries) : notOwn,
        send: async (entries, key) => own() ? enterOrSay(entries, key) : notOwn,
    };
}

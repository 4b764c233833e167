// SPDX-License-Identifier: Apache-2.0
//
// Actions on instrument files: importing after a dry run, releasing, rejecting, reading again.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { base64Of } from '../api/base64.ts';
import { answer, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { changed, condition, readNow } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { decisionsOf, reasonsOf, sent, blocks, countsOf } from '../nouns/file-reasons.ts';
import type { Decisions } from '../nouns/file-reasons.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { investigating } from './investigating.ts';

type Listed = Read<'/instrument-files'>['data'][number];
const texts = t.instrumentFiles;

// The open file, with the number of reasons that still hold it and of results that a release would
// write.
export interface OpenFile {
    file: Listed;
    left: number | undefined;
    results: number;
    // Whether these are of the trial before the last decision.
    trying: boolean;
}

export const filesChanged = (): Promise<void> =>
    changed('/instrument-files', '/instrument-files/counts', '/instrument-files/{id}',
        '/instrument-files/{id}/candidates',
        '/instrument-files/{id}/history');

// Acts apply to the version of the file that was seen: if somebody has decided meanwhile, the act
// is refused, and the file is read again.
const path = (file: Listed) => ({ params: { path: { id: file.id } }, ...condition(file) });

async function onSeen<T>(act: Promise<T>): Promise<T> {
    try {
        return await act;
    } catch (error) {
        if (error instanceof Problem && (error.status === 412 || error.status === 409)) {
            await filesChanged();
        }
        throw error;
    }
}

/* Trying and importing */

interface Tried {
    name: string;
    content: string;
    line: string;
    reasons: string[];
}

async function tryOne(file: File): Promise<Tried> {
    const content = await base64Of(file);
    const done = await answer(api.POST('/instrument-ingest', {
        body: { fileName: file.name, contentBase64: content, dryRun: true },
    }));
    const held = reasonsOf(done).filter(blocks);
    const { results, controls } = countsOf(done);
    const fate = done.duplicate && done.status === 'imported' ? texts.known
        : held.length ? texts.wouldHold : texts.wouldImport;
    return {
        name: file.name, content, reasons: held.map(({ message }) => message ?? ''),
        line: texts.line(file.name, texts.tried(results, controls, held.length), fate),
    };
}

const shown = 12;

const linesOf = ({ line, reasons }: Tried): string[] => [line, ...reasons.slice(0, shown),
    ...(reasons.length > shown ? [texts.moreReasons(reasons.length - shown)] : [])];

export async function importFiles(files: File[]): Promise<void> {
    const tried: Tried[] = [];
    for (const file of files) {
        tried.push(await tryOne(file));
    }
    ask({
        kind: 'confirm',
        title: texts.importTitle(tried.length, tried[0]?.name ?? ''),
        explanation: texts.importWhat,
        lines: tried.flatMap(linesOf),
        perform: async () => {
            let held = 0;
            for (const { name, content } of tried) {
                const { status } = await answer(api.POST('/instrument-ingest', {
                    body: { fileName: name, contentBase64: content },
                }));
                held += status === 'quarantined' ? 1 : 0;
            }
            await filesChanged();
            say({ tone: held ? 'attention' : 'ready',
                text: texts.imported(tried.length - held, held) });
        },
    });
}

/* Deciding */

export async function decide(file: Listed, decisions: Decisions): Promise<void> {
    await onSeen(answer(api.PATCH('/instrument-files/{id}', {
        ...path(file), body: { decisions: sent(decisions) },
    })));
    await filesChanged();
}

// The file as it is now.
const again = async ({ id }: Listed): Promise<Listed> =>
    readNow('/instrument-files/{id}', { params: { path: { id } } });

function leavingOut(file: Listed, sheet: string, row: number, several: boolean): Question {
    const decisions = decisionsOf(file);
    return {
        kind: 'reason',
        title: texts.leaveOutRow(row, several ? sheet : ''),
        note: file.fileName,
        reason: 'must',
        renew: async () => leavingOut(await again(file), sheet, row, several),
        perform: ({ reason = '' }) => decide(file, { ...decisions, exclude: [...decisions.exclude,
            { row, ...(sheet ? { sheet } : {}), reason }] }),
    };
}

// `several`: the file has several sheets, and the row is told with its own.
export const leaveOut = (file: Listed, sheet: string, row: number, several: boolean): void =>
    ask(leavingOut(file, sheet, row, several));

export async function readBy(file: Listed, profile: string): Promise<void> {
    const { profile: _, ...rest } = decisionsOf(file);
    await decide(file, profile ? { ...rest, profile: { code: profile } } : rest);
    say({ tone: 'ready', text: texts.profileChosen(profile || texts.asMatched) });
}

interface Deciding {
    title: string;
    explanation?: string;
    done: string;
    act: (file: Listed, reason: string) => Promise<unknown>;
}

const deciding = (file: Listed, how: Deciding): Question => ({
    kind: 'reason',
    title: how.title,
    note: file.fileName,
    ...(how.explanation ? { explanation: how.explanation } : {}),
    reason: 'must',
    renew: async () => deciding(await again(file), how),
    perform: async ({ reason = '' }) => {
        await onSeen(how.act(file, reason));
        await filesChanged();
        say({ tone: 'ready', text: how.done });
    },
});

async function readAgain({ file }: OpenFile): Promise<void> {
    const done = await answer(api.POST('/instrument-files/{id}/reevaluate',
        { ...path(file), body: {} }));
    await filesChanged();
    const left = reasonsOf(done).filter(blocks).length;
    say({ tone: left ? 'attention' : 'ready',
        text: texts.readDone(file.fileName, texts.status[done.status], left) });
}

const isHeld = ({ file }: OpenFile): boolean => file.status === 'quarantined';

export const fileActions: Action<OpenFile>[] = [
    {
        id: 'instrument-file.release',
        title: ({ results }) => texts.release(results),
        permission: 'file.review',
        step: true,
        visible: isHeld,
        refused: ({ left, trying }) => trying ? texts.trying : left ? texts.left(left) : undefined,
        perform: ({ file, results }) => ask(deciding(file, {
            title: texts.release(results), explanation: texts.releaseWhat,
            done: texts.released(results),
            act: (seen, reason) => answer(api.POST('/instrument-files/{id}/release',
                { ...path(seen), body: { reason } })),
        })),
    },
    {
        id: 'instrument-file.again',
        title: () => texts.readAgain,
        permission: 'file.review',
        visible: isHeld,
        perform: readAgain,
    },
    {
        id: 'instrument-file.reject',
        title: () => texts.reject,
        permission: 'file.review',
        visible: isHeld,
        perform: ({ file }) => ask(deciding(file, {
            title: texts.reject, explanation: texts.rejectWhat,
            done: texts.rejected(file.fileName),
            act: (seen, reason) => answer(api.POST('/instrument-files/{id}/reject',
                { ...path(seen), body: { reason } })),
        })),
    },
    {
        id: 'instrument-file.reopen',
        title: () => texts.reopen,
        permission: 'file.review',
        visible: ({ file }) => file.status === 'rejected',
        perform: ({ file }) => ask(deciding(file, {
            title: texts.reopen, done: texts.reopened(file.fileName),
            act: (seen, reason) => answer(api.POST('/instrument-files/{id}/reopen',
                { ...path(seen), body: { reason } })),
        })),
    },
    investigating<OpenFile>('instrument-file.investigate', ({ file }) => ({
        of: file.fileName, kind: 'deviation', title: file.fileName, instrumentFileId: file.id,
    })),
];

/* Reading all again */

type Again = Awaited<ReturnType<typeof reread>>[number];

// Files read in one request, the service's own bound.
async function reread(dryRun: boolean) {
    const files = [];
    for (let cursor = 0, more = true; more;) {
        const page = await answer(api.POST('/instrument-files/reevaluate',
            { body: { cursor, dryRun } }));
        files.push(...page.files);
        ({ nextCursor: cursor, hasMore: more } = page);
    }
    return files;
}

const leftIn = (again: Again): number =>
    again.status === 'quarantined' ? reasonsOf(again).filter(blocks).length : 0;

async function heldNow(): Promise<Map<number, Listed>> {
    const held = new Map<number, Listed>();
    for (let cursor = 0, more = true; more;) {
        const page = await answer(api.GET('/instrument-files',
            { params: { query: { status: 'quarantined', limit: 100, cursor } } }));
        page.data.forEach((file) => held.set(file.id, file));
        ({ nextCursor: cursor, hasMore: more } = page);
    }
    return held;
}

async function readAll(): Promise<void> {
    const before = await heldNow();
    const after = await reread(true);
    const lines = after.flatMap((again) => {
        const was = before.get(again.id);
        const held = was ? reasonsOf(was) : [];
        return JSON.stringify(held) === JSON.stringify(reasonsOf(again)) ? []
            : [texts.wouldBe(again.fileName, held.filter(blocks).length, leftIn(again))];
    });
    ask({
        kind: 'confirm',
        title: texts.readAllTitle,
        explanation: lines.length ? texts.readAllWhat : texts.readAllNone,
        lines,
        perform: async () => {
            const done = await reread(false);
            await filesChanged();
            say({ tone: 'ready', text: texts.readAllDone(done.length,
                done.filter(({ status }) => status !== 'quarantined').length) });
        },
    });
}

export const inboxActions: Action<null>[] = [
    {
        id: 'instrument-file.again-all',
        title: () => texts.readAll,
        permission: 'file.review',
        perform: readAll,
    },
];

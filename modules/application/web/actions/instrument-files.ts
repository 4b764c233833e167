// SPDX-License-Identifier: Apache-2.0
//
// What is done with instrument files: imported after a try, released, rejected, read again.
import { answer, api } from '../api/client.ts';
import { base64Of } from '../api/base64.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { decisionsOf, reasonsOf, sent, blocks, countsOf } from '../pages/instrument-files/reasons.ts';
import type { Decisions } from '../pages/instrument-files/reasons.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import type { Action } from './action.ts';
import { ask } from './ask.ts';

type Listed = Read<'/instrument-files'>['data'][number];
const texts = t.instrumentFiles;

// What is done to the open file: it, how many reasons hold it, how many results a release
// would write.
export interface OpenFile {
    file: Listed;
    left: number | undefined;
    results: number;
}

export const filesChanged = (): Promise<void> =>
    changed('/instrument-files', '/instrument-files/{id}', '/instrument-files/{id}/candidates',
        '/instrument-files/{id}/history');

const path = ({ id }: Listed) => ({ params: { path: { id } } });

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
    await answer(api.PATCH('/instrument-files/{id}', {
        ...path(file), body: { decisions: sent(decisions) },
    }));
    await filesChanged();
}

export function leaveOut(file: Listed, sheet: string, row: number): void {
    const decisions = decisionsOf(file);
    ask({
        kind: 'reason',
        title: texts.leaveOutRow(row),
        note: file.fileName,
        reason: 'must',
        perform: ({ reason = '' }) => decide(file, { ...decisions, exclude: [...decisions.exclude,
            { row, ...(sheet ? { sheet } : {}), reason }] }),
    });
}

export async function readBy(file: Listed, profile: string): Promise<void> {
    const { profile: _, ...rest } = decisionsOf(file);
    await decide(file, profile ? { ...rest, profile: { code: profile } } : rest);
    say({ tone: 'ready', text: texts.profileChosen(profile || texts.asMatched) });
}

function withReason(
    file: Listed, title: string, explanation: string | undefined, done: string,
    act: (reason: string) => Promise<unknown>,
): void {
    ask({
        kind: 'reason',
        title,
        note: file.fileName,
        ...(explanation ? { explanation } : {}),
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await act(reason);
            await filesChanged();
            say({ tone: 'ready', text: done });
        },
    });
}

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
        refused: ({ left }) => left ? texts.left(left) : undefined,
        perform: ({ file, results }) => withReason(file, texts.release(results), texts.releaseWhat,
            texts.released(results), (reason) => answer(api.POST('/instrument-files/{id}/release',
                { ...path(file), body: { reason } }))),
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
        perform: ({ file }) => withReason(file, texts.reject, texts.rejectWhat,
            texts.rejected(file.fileName), (reason) => answer(api.POST(
                '/instrument-files/{id}/reject', { ...path(file), body: { reason } }))),
    },
    {
        id: 'instrument-file.reopen',
        title: () => texts.reopen,
        permission: 'file.review',
        visible: ({ file }) => file.status === 'rejected',
        perform: ({ file }) => withReason(file, texts.reopen, undefined,
            texts.reopened(file.fileName), (reason) => answer(api.POST(
                '/instrument-files/{id}/reopen', { ...path(file), body: { reason } }))),
    },
];

/* Reading all again */

type Again = Awaited<ReturnType<typeof reread>>[number];

// Ten at a time, as the service reads them.
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

// SPDX-License-Identifier: Apache-2.0
//
// The foot of a grid: the cell with the cursor in full, what has to be looked at, and where
// saving stands.
import { useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Status } from '../parts/status.tsx';
import { clock as clockAt } from '../texts/time.ts';
import { point, selection } from './acts.ts';
import type { State } from './acts.ts';
import { testAt } from './arrange.ts';
import { Questions } from './asking.tsx';
import type { GridDesk } from './desk.ts';
import { lookOf, problems, sum } from './look.ts';
import type { Kind, Look } from './look.ts';
import { type Cell, type Place, type Sheet, cellAt, isConfirmed, isEdited } from './sheet.ts';
import { useStore } from './use-store.ts';
import { t } from '../texts/texts.ts';

const texts = t.grid;

const SHOWN = 100;

const tones: Partial<Record<Kind, 'blocked' | 'attention' | 'progress'>> = {
    conflict: 'blocked', refused: 'blocked', waiting: 'progress',
};

const nameOf = (sheet: Sheet, place: Place): string =>
    texts.at(place.row + 1, testAt(sheet, place));

function sentence(look: Look): string {
    return look.messages.join(' ') || texts.kinds[look.kind];
}

function was(cell: Cell): string {
    if (isConfirmed(cell)) {
        return texts.again.confirmed;
    }
    return isEdited(cell) && cell.base.etag !== '' ? texts.was(cell.base.text) : '';
}

// The cell with the cursor; a screen reader reads it with the input.
function Now({ state, id, told }: { state: State; id: string; told: string }): ReactElement {
    const { sheet } = state.model;
    const { at } = state.cursor;
    const row = sheet.rows[at.row];
    const cell = cellAt(sheet, at);
    const look = cell ? lookOf(sheet, cell) : null;
    return (
        <p className="reason">
            <strong className="nowrap">
                {nameOf(sheet, at)} <span className="id">{row?.label}</span>
            </strong>
            <span id={id} className={look && look.kind !== 'plain' ? 'cut' : 'cut quiet'}>
                {[look && sentence(look), cell && was(cell), told,
                    cell?.base.limit || sheet.columns[at.column]?.hint,
                    ...(row?.facts ?? [])].filter(Boolean).join(' · ')}
            </span>
            <span className="push nowrap quiet keys">
                <kbd>Enter</kbd> {texts.enterHint} <kbd>Tab</kbd> {texts.tabHint}{' '}
                <kbd>Esc</kbd> {texts.escapeHint}
            </span>
        </p>
    );
}

interface Line {
    key: string;
    place: Place | null;
    at: string;
    typed: string;
    text: string;
    tone: 'blocked' | 'attention' | 'progress';
}

function linesOf(state: State): Line[] {
    const { sheet } = state.model;
    const cells = problems(sheet).map(({ place, cell, look }) => ({
        key: cell.id, place, at: nameOf(sheet, place), typed: cell.content.typed,
        text: sentence(look), tone: tones[look.kind] ?? 'attention' as const,
    }));
    const left = state.remarks.map((remark, i) => ({
        key: `left ${i}`, place: remark.place, typed: remark.given,
        at: remark.place ? nameOf(sheet, remark.place) : '',
        text: texts.remark(remark.code, remark.values), tone: 'attention' as const,
    }));
    return [...cells, ...left];
}

function Problems({ desk, state, lines }: {
    desk: GridDesk; state: State; lines: Line[];
}): ReactElement {
    const { at } = state.cursor;
    const here = (place: Place | null): boolean =>
        place?.row === at.row && place.column === at.column;
    return (
        <ol className={lines.length > 2 ? 'problems' : 'problems short'} tabIndex={0}
            aria-label={texts.problems(lines.length)}>
            {lines.slice(0, SHOWN).map(({ key, place, tone, typed, text, ...line }) => (
                <li key={key} aria-current={here(place) ? 'true' : undefined}
                    onClick={() => place && desk.do(point(place, false))}>
                    <Glyph name={tone} tone={tone} />
                    <span className="at cut">{line.at}</span>
                    <span className="typed cut" title={typed}>{typed}</span>
                    <span className="cut" title={text}>{text}</span>
                </li>
            ))}
            {lines.length > SHOWN
                ? <li className="quiet">{texts.more(lines.length - SHOWN)}</li> : null}
            {lines.length === 0 ? <li className="quiet">{texts.noProblems}</li> : null}
        </ol>
    );
}

// Shows the seconds until a moment, counting down.
function useSecondsUntil(moment: number | null): number {
    const [now, setNow] = useState(Date.now());

    useEffect(() => {
        if (moment === null) {
            return undefined;
        }
        const timer = setInterval(() => setNow(Date.now()), 1000);
        return () => clearInterval(timer);
    }, [moment]);
    return moment === null ? 0 : Math.max(0, Math.ceil((moment - now) / 1000));
}

function Way({ desk, zone }: { desk: GridDesk; zone: string }): ReactElement {
    const { progress, nextTry, lastSaved } = useStore(desk.way);
    const next = progress?.nextTry ?? nextTry;
    const seconds = useSecondsUntil(next);
    return (
        <>
            <span className="push" />
            {next === null ? null : (
                <>
                    <Status glyph="attention" tone="attention">{texts.lost(seconds)}</Status>
                    <Button kind="row plain" onPress={() => desk.retry()}>
                        {texts.tryNow}
                    </Button>
                </>
            )}
            {progress && progress.saved < progress.of ? (
                <span className="nowrap">{texts.progress(progress.saved, progress.of)}</span>
            ) : null}
            {lastSaved === null ? null : (
                <span className="quiet nowrap">
                    {texts.lastSaved(clockAt(new Date(lastSaved), zone))}
                </span>
            )}
        </>
    );
}

function cellsOf(state: State): number {
    const { top, left, bottom, right } = selection(state);
    return (bottom - top + 1) * (right - left + 1);
}

interface Properties {
    desk: GridDesk;
    state: State;
    reason: string;
    zone: string;
    told: string;
    status: ReactNode;
}

export function Foot({ desk, state, reason, zone, told, status }: Properties): ReactElement {
    const lines = linesOf(state);
    const { entered, empty } = sum(state.model.sheet);
    const chosen = cellsOf(state);
    return (
        <>
            <section className="foot" aria-label={texts.foot}>
                <Now state={state} id={reason} told={told} />
                <Questions desk={desk} state={state} />
                <Problems desk={desk} state={state} lines={lines} />
            </section>
            <div className="statusline">
                <span>{status ?? texts.sum(lines.length, entered, empty)}</span>
                {chosen > 1 ? <span className="quiet">{texts.selected(chosen)}</span> : null}
                {lines.length > 0 ? (
                    <Button kind="row plain" keys="F8"
                        onPress={() => void desk.press({ do: 'problem', back: false }, 1)}>
                        {texts.next}
                    </Button>
                ) : null}
                <Way desk={desk} zone={zone} />
                <span className="unseen" role="status">
                    {state.said ? texts.remark(state.said.code, state.said.values) : ''}
                </span>
            </div>
        </>
    );
}

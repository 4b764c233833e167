// SPDX-License-Identifier: Apache-2.0
//
// The bench: the results of a run, entered as in a spreadsheet and judged while one types.
// Only Save writes.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { type Ready, useActions } from '../../acting/action.ts';
import { type Problem, asProblem } from '../../api/problem.ts';
import { ownerOf, useSession } from '../../api/session.ts';
import { visibleText } from '../../api/visible.ts';
import { clock } from '../../grid/clock.ts';
import type { Desk } from '../../grid/desk.ts';
import { EntryGrid } from '../../grid/grid.tsx';
import { sum } from '../../grid/look.ts';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing, Waiting } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { controlCell } from './controls.ts';
import { extendDesk, openDesk } from './desks.ts';
import { leaveDesk } from './kept.ts';
import { RunBar } from './run-bar.tsx';
import { type Batch, type By, type Control, type Run, enteredSince, lastChange, loadRun, readRun,
    waitingIn } from './run.ts';
import { enteredWith, useLots } from './settings.ts';
import { testsInOrder, versionsIn } from './sheet.ts';
import { LONGEST, Views } from './views.tsx';

const texts = t.bench;

const LIVE = 15_000;

interface Opened {
    desk: Desk;
    run: Run;
}

const idsIn = (chosen: string): number[] =>
    chosen.split(',').map(Number).filter((id) => id > 0);

// Opens a run at its desk: the one that was left with something unsaved, or a new one.
function useDesk(by: By, value: string, chosen: string): { opened: Opened | null; problem: Problem | null } {
    const { policies } = useSession();
    const [opened, setOpened] = useState<Opened | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const reasons = policies.reasonOnChange;

    useEffect(() => {
        const tests = idsIn(chosen);
        const station = { owner: ownerOf(), run: `${by} ${value} ${chosen}`,
            href: paths.bench(by, value, tests) };
        const askedAt = clock.now();
        let desk: Desk | null = null;
        let left = false;
        const open = (run: Run): void => {
            if (left) {
                return;
            }
            desk = openDesk(station, nameOf(value, run), run, reasons);
            desk.refresh(versionsIn(run), askedAt);
            setOpened({ desk, run });
        };
        loadRun(by, value, tests).then(open, (error: unknown) => setProblem(asProblem(error)));
        return () => {
            left = true;
            if (desk) {
                leaveDesk(station, desk);
            }
        };
    }, [by, value, chosen, reasons]);
    return { opened, problem };
}

// Adds what the run has got since at its desk, below what stands there.
async function addMore(
    by: By, value: string, desk: Desk, controls: readonly Control[],
): Promise<Run | null> {
    const ids = [...(await waitingIn(by, value)).map(String),
        ...controls.map(({ id }) => controlCell(id))];
    if (!desk.lacks(ids)) {
        return null;
    }
    const before = desk.sheet.rows.length;
    const run = await readRun(by, value, true);
    extendDesk(desk, run);
    if (desk.sheet.rows.length > before) {
        say({ tone: 'progress', text: texts.more(desk.sheet.rows.length - before) });
    }
    return run;
}

// Polls for results that others enter or verify, for what the run gets besides, and for the state
// of the batch after saving. A failed poll is tried again later. Returns the run as last read.
function useLive(by: By, value: string, opened: Opened | null, whole: boolean): Run | null {
    const [batch, setBatch] = useState<Batch | null>(null);
    const [latest, setLatest] = useState<Run | null>(null);

    useEffect(() => {
        if (!opened) {
            return undefined;
        }
        const { desk, run } = opened;
        let left = false;
        let saved = desk.way.get().lastSaved;
        let since = lastChange(run.tests);
        setLatest(null);
        const look = (): void => {
            const askedAt = clock.now();
            enteredSince(by, value, since).then((entered) => {
                since = lastChange(entered.tests, since);
                desk.refresh(versionsIn(entered), askedAt);
                setBatch(entered.batch);
                return whole ? addMore(by, value, desk, entered.controls) : null;
            }).then((more) => !left && more && setLatest(more), () => {});
        };
        const timer = setInterval(() => {
            if (document.visibilityState === 'visible') {
                look();
            }
        }, LIVE);
        const stop = desk.way.subscribe(() => {
            const { lastSaved } = desk.way.get();
            if (by === 'batch' && lastSaved !== saved) {
                saved = lastSaved;
                look();
            }
        });
        return () => {
            left = true;
            clearInterval(timer);
            stop();
        };
    }, [by, value, opened, whole]);
    const run = latest ?? opened?.run ?? null;
    return run && { ...run, batch: batch ?? run.batch };
}

function Save({ desk }: { desk: Desk }): ReactElement {
    const { edited } = sum(useStore(desk.store).model.sheet);
    const action = useMemo<Ready[]>(() => [{ id: 'save-results', title: t.grid.save(edited),
        keys: 'Mod+s', refused: undefined, run: () => desk.save() }], [desk, edited]);

    useActions(action);
    return (
        <Button keys="Ctrl S" refused={edited === 0 ? t.grid.save(0) : undefined}
            onPress={() => desk.save()}>
            {t.grid.save(edited)}
        </Button>
    );
}

const samplesIn = ({ tests }: Run): number => new Set(tests.map(({ sampleId }) => sampleId)).size;

// Returns the name of a run: the number of a batch, or the method.
const nameOf = (value: string, { batch }: Pick<Run, 'batch'>): string =>
    batch?.batchNumber ?? visibleText(value);

// The sequence of a batch, of the tests that are a run by themselves, or of all that is open of a
// method; null: they are too many.
function sequenceOf(value: string, { batch, tests }: Run, whole: boolean): string | null {
    if (batch) {
        return paths.download(`/qc-batches/${batch.id}/sequence`);
    }
    if (whole) {
        return paths.download('/worklist/sequence', `?method=${encodeURIComponent(value)}`);
    }
    return tests.length > LONGEST ? null
        : paths.download('/worklist/sequence', `?sampleTestIds=${testsInOrder(tests).join()}`);
}

function Title({ value, batch }: { value: string; batch: Batch | null }): ReactElement {
    return (
        <>
            <h1>{nameOf(value, { batch })}</h1>
            {batch ? (
                <span className="quiet nowrap">
                    {[batch.method, texts.qcStatus[batch.qcStatus]].filter(Boolean).join(', ')}
                </span>
            ) : null}
        </>
    );
}

function Filled({ desk, value, run, whole }: {
    desk: Desk; value: string; run: Run; whole: boolean;
}): ReactElement {
    const { batch } = run;
    const { organization: { timeZone } } = useSession();
    const lots = useLots();
    return (
        <>
            <div className="head run">
                <Title value={value} batch={batch} />
                <RunBar desk={desk} batch={batch} />
                <Views desk={desk} samples={samplesIn(run)}
                    sequence={sequenceOf(value, run, whole)} />
                <span className="push" />
                <Save desk={desk} />
            </div>
            <EntryGrid desk={desk} zone={timeZone}
                told={(state) => enteredWith(state, lots, timeZone)} />
        </>
    );
}

// `chosen`: ids of the tests of a method that are a run by themselves; empty: all that are open.
export function BenchPage({ by, value, chosen = '' }: {
    by: By; value: string; chosen?: string;
}): ReactElement {
    const { opened, problem } = useDesk(by, value, chosen);
    const whole = chosen === '';
    const run = useLive(by, value, opened, whole);
    const isEmpty = opened?.desk.sheet.rows.length === 0;

    return (
        <main className="page" id="main" tabIndex={-1}>
            {opened === null || run === null || isEmpty
                ? <div className="head">{run ? <Title value={value} batch={run.batch} />
                    : <h1>{by === 'method' ? visibleText(value) : texts.aBatch}</h1>}</div>
                : <Filled desk={opened.desk} value={value} run={run} whole={whole} />}
            {problem ? (
                <NotShown problem={problem} list={paths.worklist()} title={texts.worklist.title} />
            ) : null}
            {opened === null && !problem ? <Waiting what={texts.loading} /> : null}
            {isEmpty ? (
                <Nothing title={texts.empty}>
                    <p><Link href={paths.worklist()}>{texts.toWorklist}</Link></p>
                </Nothing>
            ) : null}
        </main>
    );
}

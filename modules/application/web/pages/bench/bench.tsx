// SPDX-License-Identifier: Apache-2.0
//
// The bench: the results of a run, entered as in a spreadsheet and judged while one types.
// Only Save writes.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { type Ready, useActions } from '../../actions/action.ts';
import { type Problem, asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import type { Desk } from '../../grid/desk.ts';
import { EntryGrid } from '../../grid/grid.tsx';
import { sum } from '../../grid/look.ts';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { keptDesk, leaveDesk, openDesk } from './desks.ts';
import { RunBar } from './run-bar.tsx';
import { type By, type Run, loadRun, testsAgain } from './run.ts';
import { sheetOf, versionsOf } from './sheet.ts';
import { t } from '../../texts/texts.ts';

const texts = t.bench;

const LIVE = 15_000;

interface Opened {
    desk: Desk;
    run: Run;
}

// Opens a run at its desk: the one that was left with something unsaved, or a new one.
function useDesk(by: By, value: string): { opened: Opened | null; problem: Problem | null } {
    const { policies } = useSession();
    const [opened, setOpened] = useState<Opened | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const reasons = policies.reasonOnChange;

    useEffect(() => {
        const key = `${by} ${value}`;
        let desk: Desk | null = null;
        let left = false;
        const open = (run: Run): void => {
            if (left) {
                return;
            }
            desk = keptDesk(key) ?? openDesk(key, sheetOf(value, run, reasons, Date.now()));
            desk.refresh(versionsOf(run.tests));
            setOpened({ desk, run });
        };
        loadRun(by, value).then(open, (error: unknown) => setProblem(asProblem(error)));
        return () => {
            left = true;
            if (desk) {
                leaveDesk(key, desk);
            }
        };
    }, [by, value, reasons]);
    return { opened, problem };
}

// What others enter or verify appears by itself. A look that fails is tried again later.
function useLive(by: By, value: string, opened: Opened | null): void {
    useEffect(() => {
        const look = (): void => {
            if (opened && document.visibilityState === 'visible') {
                testsAgain(by, value, opened.run.definitions)
                    .then((tests) => opened.desk.refresh(versionsOf(tests)), () => {});
            }
        };
        const timer = setInterval(look, LIVE);
        return () => clearInterval(timer);
    }, [by, value, opened]);
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

function Filled({ desk, value }: { desk: Desk; value: string }): ReactElement {
    const { organization } = useSession();
    return (
        <>
            <div className="head run">
                <h1>{value}</h1>
                <RunBar desk={desk} />
                <span className="push" />
                <Save desk={desk} />
            </div>
            <EntryGrid desk={desk} zone={organization.timeZone} />
        </>
    );
}

export function BenchPage({ by, value }: { by: By; value: string }): ReactElement {
    const { opened, problem } = useDesk(by, value);

    useLive(by, value, opened);
    return (
        <main className="page" id="main" tabIndex={-1}>
            {opened === null || opened.desk.sheet.rows.length === 0
                ? <div className="head"><h1>{value}</h1></div>
                : <Filled desk={opened.desk} value={value} />}
            {problem ? <Refused problem={problem} /> : null}
            {opened === null && !problem ? <Waiting what={texts.loading} /> : null}
            {opened && opened.desk.sheet.rows.length === 0 ? (
                <Nothing title={texts.empty}>
                    <p><Link href={paths.worklist()}>{texts.toWorklist}</Link></p>
                </Nothing>
            ) : null}
        </main>
    );
}

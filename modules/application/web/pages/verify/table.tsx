// SPDX-License-Identifier: Apache-2.0
//
// The queue as a list: a head for each run with its QC, a line for each result, and under
// those that need a look why, with what can be done.
import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { allowed } from '../../acting/action.ts';
import { trackingId } from '../../actions/verify.ts';
import type { Reviewed } from '../../actions/verify.ts';
import { usePeople } from '../../api/names.ts';
import { listen } from '../../keys/keyboard.ts';
import { Entered } from '../../nouns/entered.tsx';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { Flag, Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate } from '../../router.tsx';
import { moved } from '../../table/selection.ts';
import { capital } from '../../texts/capital.ts';
import { limitBeside } from '../../texts/limit.ts';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';
import { lineActions } from './actions.ts';
import type { Queue } from './actions.ts';
import type { Kind, Line, Run } from './queue.ts';
import { Ways } from './ways.tsx';

const { columns } = t.verify;
const width = Object.keys(columns).length;

const qcTones: Record<string, Extract<Tone, GlyphName>> = {
    passed: 'ready', failed: 'blocked', overridden: 'attention',
};

function Head({ run, person }: {
    run: Run; person: (id: number | null) => string;
}): ReactElement {
    const tone = qcTones[run.batch?.status ?? ''] ?? 'progress';
    const people = [...new Set(run.lines.map(({ test }) => person(test.enteredBy)))].filter(Boolean);
    return (
        <tr className="group">
            <th colSpan={width} scope="colgroup">
                <span className="line">
                    <strong>{run.method || t.verify.noMethod}</strong>{' '}
                    {[t.verify.results(run.lines.length), people.length
                        ? t.verify.runOf(people) : ''].filter(Boolean).join(', ')}{' '}
                    {run.batch ? (
                        <Status glyph={tone} tone={tone}>
                            <Link href={paths.qcBatch(run.batch.id)}>{run.batch.number}</Link>{' '}
                            {t.verify.qc[run.batch.status] ?? run.batch.status}
                        </Status>
                    ) : null}
                </span>
            </th>
        </tr>
    );
}

const previousOf = ({ test }: Line): string =>
    (test.review?.previous ?? []).map((one) => valueOf(one)).join(', ');

const glyphs: Record<Kind, ReactNode> = {
    own: <Glyph name="lock" />,
    stop: <Glyph name="blocked" tone="blocked" />,
    look: <Glyph name="attention" tone="attention" />,
};

function Source({ line }: { line: Line }): ReactElement | null {
    const source = line.test.review?.source;
    return source ? (
        <Link href={paths.instrumentFileRow(source.fileId, source.row, source.sheet)}>
            {t.verify.rawFile(source.fileName, source.row)}
        </Link>
    ) : null;
}

function Look({ line, kind, queue }: { line: Line; kind: Kind; queue: Queue }): ReactElement {
    const reason = queue.chosen.get(line.test.id);
    return (
        <tr className={`look ${kind === 'own' ? 'off' : kind === 'stop' ? 'stop' : ''}`.trim()}>
            <td />
            <td colSpan={width - 1} className="wrap">
                <div className="line">
                    {glyphs[kind]}
                    <span id={`look-${line.test.id}`}>
                        {line.looks.map(({ text, slug }) => (
                            <span key={text}>
                                {capital(text)}{' '}
                                {slug ? <Ways slug={slug} test={line.test} /> : null}
                                {slug ? <><Code of={slug} />{' '}</> : null}
                            </span>
                        ))}
                        {reason ? <strong>{t.verify.chosen(reason)}</strong> : null}
                    </span>
                    <span className="push line">
                        <Source line={line} />
                        {allowed(lineActions, { line, queue }).map((action) => (
                            <Button key={action.id} kind="row" onPress={action.run}>
                                {action.title}
                            </Button>
                        ))}
                    </span>
                </div>
            </td>
        </tr>
    );
}

// Where the sample was taken, else the identifier that it has besides its tracking id.
function placeOf(test: Reviewed): string {
    const { plantLocation } = test.review ?? {};
    const identifier = test.sample?.sampleIdentifier;
    return plantLocation ?? (identifier === trackingId(test) ? '' : identifier ?? '');
}

function Result({ line, queue, move, person }: {
    line: Line; queue: Queue; move: (id: number) => void; person: (id: number | null) => string;
}): ReactElement {
    const { test, kind } = line;
    const row = useRef<HTMLTableRowElement>(null);
    const here = queue.at === line;
    const name = trackingId(test);
    const place = placeOf(test);
    const lots = [test.review?.reagentLotCode, test.review?.mediaLotCode].filter(Boolean).join(', ');
    const [code = '', meaning = ''] = t.samples.flags.oos;

    // The cursor's row has the focus, unless somebody types or answers elsewhere.
    useEffect(() => {
        const active = document.activeElement;
        if (here && (active === document.body || active?.closest('table') !== null)) {
            row.current?.focus({ preventScroll: true });
            row.current?.scrollIntoView({ block: 'nearest' });
        }
    }, [here]);
    return (
        <>
            <tr ref={row} tabIndex={here ? 0 : -1} onClick={() => move(test.id)}
                className={[here ? 'cursor' : '', kind === 'own' ? 'off' : '']
                    .filter(Boolean).join(' ') || undefined}
                aria-describedby={kind ? `look-${test.id}` : undefined}
                onDoubleClick={() => navigate(paths.sample(test.sampleId))}>
                <td>
                    <input type="checkbox" tabIndex={-1} checked={queue.ticked.includes(line)}
                        disabled={kind === 'own' || kind === 'stop'}
                        aria-label={t.verify.tick(test.testCode, name)}
                        onChange={() => queue.toggle(line)} />
                </td>
                <th scope="row" className="id stay">{name}</th>
                <td title={place}>{place}</td>
                <td title={test.testName}>{test.testCode}</td>
                <td className="right"><strong>
                    <Entered test={test}>{valueOf(test)}</Entered>
                </strong></td>
                <td title={test.unit ?? undefined}>{test.unit}</td>
                <td title={test.specification ?? undefined}>
                    {limitBeside(test.unit, test.specification)}
                    {test.outOfSpecification ? <> <Flag code={code} meaning={meaning} /></> : null}
                </td>
                <td title={lots}>{lots}</td>
                <td className="right quiet wrap">{previousOf(line)}</td>
                <td>{person(test.enteredBy)}</td>
            </tr>
            {kind ? <Look line={line} kind={kind} queue={queue} /> : null}
        </>
    );
}

function useKeys(queue: Queue, move: (id: number) => void): void {
    useEffect(() => {
        const { lines, at } = queue;
        const go = (step: number) => (): void => {
            const next = lines[moved(at ? lines.indexOf(at) : -1, step, lines.length)];
            if (next) {
                move(next.test.id);
            }
        };
        return listen([
            { keys: 'j', run: go(1) }, { keys: 'ArrowDown', run: go(1) },
            { keys: 'k', run: go(-1) }, { keys: 'ArrowUp', run: go(-1) },
            { keys: 'Home', run: go(-lines.length) }, { keys: 'End', run: go(lines.length) },
            { keys: 'Enter', run: () => at && navigate(paths.sample(at.test.sampleId)) },
        ]);
    }, [queue, move]);
}

// `stale`: the rows are those of former filters, while others are read.
export function QueueTable({ runs, queue, stale, move }: {
    runs: Run[]; queue: Queue; stale: boolean; move: (id: number) => void;
}): ReactElement {
    const person = usePeople();

    useKeys(queue, move);
    return (
        <table className={stale ? 'table dim' : 'table'} aria-label={t.verify.label}>
            <thead>
                <tr>
                    <th className="w-tick" scope="col"><span className="unseen">{columns.tick}</span></th>
                    <th className="w-id stay" scope="col">{columns.trackingId}</th>
                    <th className="w-due" scope="col">{columns.place}</th>
                    <th className="w-short" scope="col">{columns.test}</th>
                    <th className="w-when right" scope="col">{columns.result}</th>
                    <th className="w-short" scope="col">{columns.unit}</th>
                    <th className="w-id" scope="col">{columns.limit}</th>
                    <th className="w-when" scope="col">{columns.lot}</th>
                    <th className="right" scope="col">{columns.previous}</th>
                    <th className="w-when" scope="col">{columns.entered}</th>
                </tr>
            </thead>
            <tbody>
                {runs.map((run) => [
                    <Head key={run.key} run={run} person={person} />,
                    ...run.lines.map((line) => (
                        <Result key={line.test.id} line={line} queue={queue} move={move}
                            person={person} />
                    )),
                ])}
            </tbody>
        </table>
    );
}

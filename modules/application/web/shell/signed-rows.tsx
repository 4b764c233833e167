// SPDX-License-Identifier: Apache-2.0
//
// Content to be signed, row by row; below a row its refusal, and beside a value what it has become
// since it was seen.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question, SignedRow } from '../acting/ask.ts';
import type { Blocker, Problem } from '../api/problem.ts';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/code.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Flag } from '../parts/status.tsx';
import { Blocked } from '../record/refusal.tsx';
import { t } from '../texts/texts.ts';

interface RefusedRow {
    slug: string;
    message: string;
    blockers: Blocker[];
    // The row as it is now, where it differs.
    now?: SignedRow;
}

export interface Refused {
    rows: Map<number, RefusedRow>;
    fresh: Question | undefined;
}

const stale = 'precondition_failed';

function rowsOf(problem: Problem | null, fresh: Question | undefined): Refused {
    const rows = new Map<number, RefusedRow>();

    problem?.outcomes.forEach(({ error, message, blockers }, i) => {
        const now = error === stale
            ? fresh?.rows?.find(({ item }, row) => (item ?? row) === i && item === undefined)
            : undefined;
        if (error !== null) {
            rows.set(i, { slug: error, message: message ?? '', blockers: blockers ?? [],
                ...(now ? { now } : {}) });
        }
    });
    return { rows, fresh };
}

// Assigns refusals to rows; rows that have changed since they were seen are read again.
export function useRefusedRows(question: Question, problem: Problem | null): Refused {
    const [fresh, setFresh] = useState<Question>();
    const changed = problem?.slug === stale
        || (problem?.outcomes.some(({ error }) => error === stale) ?? false);

    useEffect(() => {
        setFresh(undefined);
        if (changed) {
            question.renew?.().then(setFresh, tell);
        }
    }, [question, changed]);
    return rowsOf(problem, fresh);
}

const valueOf = ({ value, unit }: SignedRow): string => `${value} ${unit}`.trim();

function Why({ row, refused }: { row: SignedRow; refused: RefusedRow }): ReactElement {
    const { now, message, slug, blockers } = refused;
    return (
        <tr className="look stop">
            <td />
            <td colSpan={6} className="wrap">
                <span className="status"><Glyph name="blocked" tone="blocked" />{message}</span>{' '}
                {now && valueOf(now) !== valueOf(row)
                    ? <strong>{t.asking.now(valueOf(now))}</strong> : null}{' '}
                {blockers.map((blocker) => (
                    <Blocked key={blocker.message} blocker={blocker} follow={() => ask(null)} />
                ))}{' '}
                <Code of={slug} />
            </td>
        </tr>
    );
}

function Row({ row, no, refused }: {
    row: SignedRow; no: number; refused: RefusedRow | undefined;
}): ReactElement {
    return (
        <>
            <tr>
                <td className="right quiet">{no}</td>
                <th scope="row" className="id">{row.record}</th>
                <td className="wrap">{row.what}</td>
                <td className="right wrap"><strong>{row.value}</strong></td>
                <td className="wrap">{row.unit}</td>
                <td className="wrap">{row.limit}</td>
                <td>{row.flags.map((flag) => <Flag key={flag.code} {...flag} />)}</td>
            </tr>
            {refused ? <Why row={row} refused={refused} /> : null}
        </>
    );
}

// A refusal stands under the last row of its record.
const isLast = (rows: SignedRow[], i: number): boolean =>
    rows[i]?.item === undefined || rows[i + 1]?.item !== rows[i].item;

export function Rows({ rows, refused }: { rows: SignedRow[]; refused: Refused }): ReactElement {
    const { columns } = t.asking;
    return (
        <div className="list tight" role="region" aria-label={t.asking.signed} tabIndex={0}>
            <table className="table">
                <thead>
                    <tr>
                        <th className="w-no right" scope="col">
                            <span className="unseen">{columns.no}</span>
                        </th>
                        <th scope="col">{columns.record}</th>
                        <th scope="col">{columns.what}</th>
                        <th className="right" scope="col">{columns.value}</th>
                        <th scope="col">{columns.unit}</th>
                        <th scope="col">{columns.limit}</th>
                        <th scope="col">{columns.flags}</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row, i) => (
                        <Row key={i} row={row} no={i + 1}
                            refused={isLast(rows, i) ? refused.rows.get(row.item ?? i) : undefined} />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

// The ways on after a refusal: with what is there now, or without what is refused.
export function Ways({ question, refused, choose }: {
    question: Question; refused: Refused; choose: (next: Question) => void;
}): ReactElement | null {
    const { rows, fresh } = refused;
    const { without } = question;
    const records = new Set(question.rows?.map(({ item }, i) => item ?? i)).size;
    const some = rows.size > 0 && rows.size < records;

    return fresh || (without && some) ? (
        <p className="line">
            {fresh ? <Button onPress={() => choose(fresh)}>{t.asking.renew}</Button> : null}
            {without && some ? (
                <Button onPress={() => void Promise.resolve(without(new Set(rows.keys())))
                    .then(choose, tell)}>
                    {t.asking.leaveOut(rows.size)}
                </Button>
            ) : null}
        </p>
    ) : null;
}

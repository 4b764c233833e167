// SPDX-License-Identifier: Apache-2.0
//
// The work of an investigation: every value of its test, the actions, cause and conclusion.
import type { ReactElement } from 'react';

import { finish, unfinish } from '../../actions/investigations.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { PhaseOf, isPlanned } from '../../nouns/investigation.tsx';
import type { Investigation } from '../../nouns/investigation.tsx';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Nothing } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';

const words = t.investigations;

interface ValueRow {
    id: number;
    result: string | null;
    at: string | null;
    by: number | null;
}

// The value that opened it, and every later one of the test.
const rowsOf = ({ openedValue, values }: Investigation): ValueRow[] => [
    ...(openedValue === null ? [] : [{ id: 0, result: openedValue, at: null, by: null }]),
    ...values.map((value, i) => ({ ...value, id: i + 1 })),
];

export function Values({ one }: { one: Investigation }): ReactElement {
    const person = usePeople();
    const { values: texts } = words;
    const test = useRead('/sample-tests/{id}', { params: { path: { id: one.sampleTestId ?? 0 } } },
        { enabled: one.sampleTestId !== null });
    const limit = test.data?.specification;
    const unit = test.data?.unit ?? '';
    const rows = rowsOf(one);
    return rows.length ? (
        <>
            <h2 className="part">
                {words.what}{' '}
                <span className="quiet">
                    {one.testCode} {test.data ? limit ? texts.limit(limit) : texts.noLimit : ''}
                </span>
            </h2>
            <PlainTable label={texts.label} none={words.noValue}
                found={{ data: { data: rows }, error: null }} columns={[
                    { title: texts.value, className: 'w-state', cell: (row) => row.result === null
                        ? <span className="quiet">{texts.withdrawn}</span>
                        : <><strong>{row.result}</strong> {unit}</> },
                    { title: texts.at, className: 'w-when', cell: (row) => row.at
                        ? <Moment at={row.at} /> : <span className="quiet">{texts.first}</span> },
                    { title: texts.by, cell: (row) => person(row.by) },
                ]} />
        </>
    ) : <Nothing title={words.noValue} />;
}

function Done({ one, act }: {
    one: Investigation; act: Investigation['actions'][number];
}): ReactElement {
    const { actions: texts } = words;
    const change = act.doneAt ? unfinish : finish;
    return (
        <span className="line">
            {act.doneAt ? (
                <Status glyph="ready" tone="ready"><Moment at={act.doneAt} day /></Status>
            ) : null}
            {may('investigation.work') ? (
                <Button kind={act.doneAt ? 'row plain' : 'row'}
                    label={(act.doneAt ? texts.unfinish : texts.finish)(act.text)}
                    onPress={() => change(one, act)}>
                    {act.doneAt ? texts.unfinishShort : texts.finishShort}
                </Button>
            ) : null}
        </span>
    );
}

export function Actions({ one }: { one: Investigation }): ReactElement {
    const person = usePeople();
    const { actions: texts } = words;
    return (
        <>
            <h2 className="part">{texts.title}</h2>
            <PlainTable label={texts.label} none={texts.none}
                found={{ data: { data: one.actions }, error: null }} columns={[
                    { title: texts.text, className: 'wrap', cell: (act) => act.text },
                    { title: texts.owner, className: 'w-name', cell: (act) => person(act.ownerId) },
                    { title: texts.due, className: 'w-due',
                        cell: (act) => act.dueDate ? dayOf(act.dueDate) : null },
                    { title: texts.done, className: 'w-who', cell: (act) => <Done one={one} act={act} /> },
                ]} />
        </>
    );
}

// Checklist of phase 1, each item done or still open.
function Checks({ one }: { one: Investigation }): ReactElement {
    const all = Object.entries(words.checks);
    return (
        <>
            <h3>{words.looked(one.checks.length, all.length)}</h3>
            <ul className="small">
                {all.map(([id, name]) => (
                    <li key={id}>
                        {one.checks.some((check) => check === id)
                            ? <Status glyph="ready" tone="ready">{name}</Status>
                            : <Status glyph="progress" tone="progress">{name}</Status>}
                    </li>
                ))}
            </ul>
        </>
    );
}

function Text({ title, text }: { title: string; text: string | null }): ReactElement {
    return (
        <>
            <h3>{title}</h3>
            <p className="words">
                {text ?? <span className="quiet">{words.notYet}</span>}
            </p>
        </>
    );
}

// The retest plan, with who wrote it and who approved it.
function Plan({ one }: { one: Investigation }): ReactElement {
    const person = usePeople();
    const { plan: texts } = words;
    const { retestPlanApproved: approved, retestPlanBy } = one;
    return (
        <>
            <Text title={words.retestPlan} text={isPlanned(one) ? one.retestPlan : null} />
            {isPlanned(one) ? (
                <ul className="small">
                    <li>
                        {approved
                            ? <Status glyph="ready" tone="ready">{texts.by(person(approved.by))}</Status>
                            : <Status glyph="attention" tone="attention">{texts.waits}</Status>}
                    </li>
                    {approved ? <li className="quiet"><Moment at={approved.at} /></li> : null}
                    {retestPlanBy === null ? null
                        : <li className="quiet">{texts.writtenBy(person(retestPlanBy))}</li>}
                </ul>
            ) : null}
        </>
    );
}

// Records that were opened because of the investigation, such as a CAPA.
function Following({ one }: { one: Investigation }): ReactElement | null {
    const found = useRead('/investigations', { params: { query: { parentId: one.id, limit: 100 } } });
    const all = found.data?.data ?? [];
    return all.length ? (
        <>
            <h3>{words.following}</h3>
            <ul className="same">
                {all.map(({ id, investigationNumber, status }) => (
                    <li key={id} className="line">
                        <Link className="id" href={paths.investigation(id)}>{investigationNumber}</Link>
                        <PhaseOf phase={status} />
                    </li>
                ))}
            </ul>
        </>
    ) : null;
}

export function Causes({ one }: { one: Investigation }): ReactElement {
    return (
        <aside className="beside" aria-labelledby="causes">
            <h2 id="causes">{words.causes}</h2>
            <Checks one={one} />
            <Text title={words.hypotheses} text={one.hypotheses} />
            <Plan one={one} />
            <Text title={words.cause} text={one.rootCause} />
            <Text title={words.conclusion} text={one.conclusion} />
            <Following one={one} />
        </aside>
    );
}

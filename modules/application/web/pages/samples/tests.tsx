// SPDX-License-Identifier: Apache-2.0
//
// The tests of a sample, two lines each: what it is, and what it rests on. A retest stands
// below the test that it repeats; a cancelled one keeps its reason.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { allowed } from '../../acting/action.ts';
import { oneTestActions } from '../../actions/sample-tests.ts';
import { useDefinitions, usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { Entered } from '../../nouns/entered.tsx';
import type { GlyphName, Tone } from '../../parts/glyph.tsx';
import { MenuButton } from '../../parts/menu.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { Flag, Status } from '../../parts/status.tsx';
import { Used } from '../../parts/used.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { limitBeside } from '../../texts/limit.ts';
import { t } from '../../texts/texts.ts';
import { span } from '../../texts/time.ts';
import { valueOf } from '../../texts/value.ts';
import type { Whole } from './record.tsx';

export type Test = Read<'/sample-tests'>['data'][number];

// Orders tests so that retests stand below the test they repeat, in the order in which they were
// asked for.
export function inOrder(tests: Test[]): Test[] {
    const after = (id: number): Test[] => tests.filter(({ retestOf }) => retestOf === id)
        .flatMap((test) => [test, ...after(test.id)]);
    return tests.filter(({ retestOf }) => retestOf === null
        || !tests.some(({ id }) => id === retestOf))
        .flatMap((test) => [test, ...after(test.id)]);
}

// Returns the number of a retest among all retests of the same test.
function retestName(test: Test, tests: Test[]): string {
    const all = tests.filter(({ retestOf }) => retestOf === test.retestOf);
    return t.sample.retest(all.indexOf(test) + 1, all.length);
}

const glyphs: Record<Test['status'], Extract<Tone, GlyphName>> = {
    pending: 'progress', entered: 'progress', verified: 'ready',
};

export function State({ test }: { test: Test }): ReactElement {
    if (test.disposition !== 'active') {
        return <span className="quiet">{t.sample.off[test.disposition]}</span>;
    }
    if (test.confirmationStatus === 'pending') {
        return <Status glyph="blocked" tone="blocked">{t.sample.presumptive}</Status>;
    }
    return (
        <Status glyph={glyphs[test.status]} tone={glyphs[test.status]}>
            {t.sample.test[test.status]}
        </Status>
    );
}

// Share of the holding time that was used up at the analysis, or until now.
function Holding({ test }: { test: Test }): ReactElement | null {
    const { holding } = test.review ?? {};
    if (!holding || !test.holdingExpiresAt || test.disposition !== 'active') {
        return null;
    }
    const began = Date.parse(holding.beganAt);
    const ends = Date.parse(test.holdingExpiresAt);
    const until = holding.endedAt ? Date.parse(holding.endedAt) : Date.now();
    const whole = span(ends - began);
    return (
        <span className="caption">
            <Used part={(until - began) / (ends - began)} />
            {holding.endedAt ? t.sample.holdingUsed(span(until - began), whole)
                : until < ends ? t.sample.holdingLeft(span(ends - until), whole)
                    : t.samples.holdingExpired(span(until - ends))}
        </span>
    );
}

function TestFlags({ test }: { test: Test }): ReactElement {
    const { oos, presumptive, holding } = t.samples.flags;
    const shown = [
        ...(test.outOfSpecification ? [oos] : []),
        ...(test.confirmationStatus === 'pending' ? [presumptive] : []),
        ...(test.holdingStatus === 'expired' ? [holding] : []),
    ];
    return (
        <>
            {shown.map(([code = '', meaning = '']) => (
                <span key={code}> <Flag code={code} meaning={meaning} /></span>
            ))}
        </>
    );
}

function Result({ test }: { test: Test }): ReactElement {
    return (
        <td>
            {test.result === null ? <span className="quiet">{t.sample.noResult}</span>
                : <Entered test={test}>{`${valueOf(test)} ${test.unit ?? ''}`}</Entered>}
            <span className="caption">
                {limitBeside(test.unit, test.specification) || t.sample.noLimit}<TestFlags test={test} />
            </span>
        </td>
    );
}

function Runs({ test }: { test: Test }): ReactElement {
    return (
        <>
            {(test.review?.qcBatches ?? []).map(({ id, batchNumber, qcStatus }) => (
                <span key={id}>
                    {' · '}<Link href={paths.qcBatch(id)}>{batchNumber}</Link> {t.verify.qc[qcStatus] ?? qcStatus}
                </span>
            ))}
        </>
    );
}

function Lots({ test: { review, reagentLotId, mediaLotId } }: { test: Test }): ReactElement {
    return (
        <>
            {reagentLotId === null ? null : (
                <Link href={paths.lot('reagent', reagentLotId)}>{review?.reagentLotCode}</Link>
            )}
            {reagentLotId === null || mediaLotId === null ? null : ', '}
            {mediaLotId === null ? null : (
                <Link href={paths.lot('media', mediaLotId)}>{review?.mediaLotCode}</Link>
            )}
        </>
    );
}

function Row({ test, name, method, sample, person }: {
    test: Test; name: string; method: string; sample: Whole;
    person: (id: number | null) => string;
}): ReactElement {
    const classes = [test.disposition === 'active' ? '' : 'off', test.retestOf ? 'kin' : ''];
    const actions = allowed(oneTestActions, { test, sample });

    return (
        <tr className={classes.filter(Boolean).join(' ') || undefined} id={`test-${test.id}`}>
            <th scope="row">
                <strong>{test.testCode}</strong> {name}
                <span className="caption">{method}<Runs test={test} /></span>
            </th>
            <td><State test={test} /><Holding test={test} /></td>
            <Result test={test} />
            <td className="p3">
                <Lots test={test} />
                <span className="caption">
                    {test.worksheetStatus ? (
                        <Link href={paths.worksheetOf(test.id)}>
                            {t.sample.worksheet[test.worksheetStatus]}
                        </Link>
                    ) : null}
                </span>
            </td>
            <td>
                {test.enteredAt ? <>{person(test.enteredBy)} <Moment at={test.enteredAt} day /></> : null}
                <span className="caption">
                    {test.verifiedAt ? <>{person(test.verifiedBy)} <Moment at={test.verifiedAt} day /></>
                        : null}
                    {test.enteredAt && !test.verifiedAt ? t.sample.notVerified : null}
                </span>
            </td>
            <td className="w-tick">
                {actions.length ? (
                    <MenuButton className="row plain" label={t.sample.testActs(test.testCode)}
                        items={actions}>{null}</MenuButton>
                ) : null}
            </td>
        </tr>
    );
}

export const useTests = (sampleId: number) => useRead('/sample-tests', {
    params: { query: { sampleId, include: 'review', limit: 200 } },
}, { live: 15 });

export function Tests({ sample }: { sample: Whole }): ReactElement | null {
    const tests = useTests(sample.id);
    const definitions = useDefinitions();
    const person = usePeople();
    const method = (id: number): string => definitions.get(id)?.method ?? '';

    // A link may name the line of a test, which stands here only now.
    const there = tests.data !== undefined;
    useEffect(() => {
        if (there && location.hash.startsWith('#test-')) {
            location.replace(location.hash);
        }
    }, [there, sample.id]);
    if (!tests.data) {
        return tests.error ? <Refused problem={tests.error} /> : <Waiting what={t.sample.work} />;
    }
    const rows = inOrder(tests.data.data);
    const active = rows.filter(({ disposition }) => disposition === 'active').length;
    const { columns } = t.sample;
    return (
        <table className="table tall" aria-label={t.sample.tests(active, rows.length - active)}>
            <thead>
                <tr>
                    <th scope="col">{t.sample.tests(active, rows.length - active)}</th>
                    <th className="w-state" scope="col">{columns.state}</th>
                    <th className="w-name" scope="col">{columns.result}</th>
                    <th className="w-who p3" scope="col">{columns.lot}</th>
                    <th className="w-who" scope="col">{columns.who}</th>
                    <th className="w-tick" scope="col"><span className="unseen">{t.more}</span></th>
                </tr>
            </thead>
            <tbody>
                {rows.map((test) => <Row key={test.id} test={test} sample={sample}
                    name={test.retestOf ? retestName(test, rows) : test.testName}
                    method={method(test.testDefinitionId)} person={person} />)}
            </tbody>
        </table>
    );
}

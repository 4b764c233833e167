// SPDX-License-Identifier: Apache-2.0
//
// A certificate as a page: what its reader sees. A draft says so.
import type { ReactElement, ReactNode } from 'react';

import { Flag } from '../../parts/status.tsx';
import { limitBeside } from '../../texts/limit.ts';
import { t } from '../../texts/texts.ts';
import { writtenDay, writtenTime } from '../../texts/time.ts';
import { valueOf } from '../../texts/value.ts';
import { changeIn, decisionRules, notesOf } from './content.ts';
import type { Amendment, Content, Result } from './content.ts';

const { sheet: words } = t.release;

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement | null {
    return children ? <><dt>{name}</dt><dd>{children}</dd></> : null;
}

const written = (at: string | null | undefined): string => at ? writtenTime(at) : '';

const day = (date: string | null | undefined): string => date ? writtenDay(date) : '';

function Head({ content }: { content: Content }): ReactElement {
    const { certificate, laboratory } = content;
    const { replaces } = certificate ?? {};
    return (
        <header>
            <p><strong>{laboratory?.name}</strong></p>
            <p className="quiet">{[laboratory?.address, laboratory?.accreditation]
                .filter(Boolean).join(' · ')}</p>
            <h2>{words.title}</h2>
            <dl className="pairs">
                <Fact name={words.number}>
                    {certificate?.number ? <span className="id">{certificate.number}</span> : null}
                </Fact>
                <Fact name={words.version}>{certificate?.version}</Fact>
                <Fact name={words.issued}>
                    {written(certificate?.issuedAt) || words.notIssued}
                </Fact>
                <Fact name={words.replaces}>
                    {replaces ? words.replacesVersion(replaces.version, certificate?.reason ?? '')
                        : null}
                </Fact>
            </dl>
        </header>
    );
}

function Facts({ content }: { content: Content }): ReactElement {
    const { client, sample, receipt, testsDone, order } = content;
    return (
        <dl className="pairs">
            <Fact name={words.client}>
                {[client?.name ?? sample?.clientName, client?.address].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.contact}>{client?.contactName}</Fact>
            <Fact name={words.order}>
                {[order?.orderNumber, order?.contact].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.sample}>
                <span className="id">{sample?.trackingId}</span>{' '}
                {sample?.sampleIdentifier === sample?.trackingId ? null : sample?.sampleIdentifier}
            </Fact>
            <Fact name={words.externalId}>{sample?.externalId}</Fact>
            <Fact name={words.project}>{sample?.project}</Fact>
            <Fact name={words.place}>
                {[sample?.materialType, sample?.plantLocation].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.collected}>
                {written(sample?.collectedAt) || day(sample?.collectionDate)}
            </Fact>
            <Fact name={words.received}>
                {sample?.receivedAt
                    ? words.receivedAt(written(sample.receivedAt), receipt?.receivedBy ?? '') : ''}
            </Fact>
            <Fact name={words.receipt}>
                {[receipt?.temperature == null ? '' : t.sample.celsius(receipt.temperature),
                    receipt?.condition,
                    receipt?.containers == null ? '' : words.inContainers(receipt.containers),
                    receipt?.deviations].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.tested}>
                {testsDone?.from ? words.range(day(testsDone.from), day(testsDone.to)) : null}
            </Fact>
            <Fact name={words.remark}>{sample?.remark}</Fact>
        </dl>
    );
}

// Columns that are there only where a result has something in them.
interface Shown {
    uncertainty: boolean;
    accredited: boolean;
}

function shownOf({ results, laboratory }: Content): Shown {
    return {
        uncertainty: (results ?? []).some(({ uncertainty }) => uncertainty),
        accredited: Boolean(laboratory?.accreditation)
            || (results ?? []).some(({ accredited }) => accredited),
    };
}

const widthOf = ({ uncertainty, accredited }: Shown): number =>
    7 + Number(uncertainty) + Number(accredited);

function ResultRow({ one, shown }: { one: Result; shown: Shown }): ReactElement {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    const notes = notesOf(one);
    return (
        <>
            <tr className={notes.length ? 'noted' : undefined}>
                <th scope="row" title={one.testName}>{one.testCode} {one.testName}</th>
                <td>{one.method}</td>
                <td className="right"><strong>{valueOf(one)}</strong></td>
                {shown.uncertainty ? <td>{one.uncertainty}</td> : null}
                <td>{one.unit}</td>
                <td>{limitBeside(one.unit, one.specification)}</td>
                <td>
                    {words.conformity[one.conformity ?? 'none'] ?? one.conformity}{' '}
                    {one.outOfSpecification ? <Flag code={code} meaning={meaning} /> : null}
                </td>
                <td>{day(one.analyzedAt)}</td>
                {shown.accredited ? <td>{one.accredited ? words.yes : words.no}</td> : null}
            </tr>
            {notes.length ? (
                <tr>
                    <td colSpan={widthOf(shown)} className="wrap small">{notes.join(' ')}</td>
                </tr>
            ) : null}
        </>
    );
}

function Results({ content }: { content: Content }): ReactElement {
    const { columns } = words;
    const results = content.results ?? [];
    const shown = shownOf(content);
    return (
        <table className="table" aria-label={t.release.approvals.results(results.length)}>
            <thead>
                <tr>
                    <th scope="col">{columns.test}</th>
                    <th scope="col">{columns.method}</th>
                    <th scope="col" className="right">{columns.result}</th>
                    {shown.uncertainty ? <th scope="col">{columns.uncertainty}</th> : null}
                    <th scope="col">{columns.unit}</th>
                    <th scope="col">{columns.limit}</th>
                    <th scope="col">{columns.conformity}</th>
                    <th scope="col">{columns.analysed}</th>
                    {shown.accredited ? <th scope="col">{columns.accredited}</th> : null}
                </tr>
            </thead>
            <tbody>
                {results.map((one) =>
                    <ResultRow key={one.sampleTestId} one={one} shown={shown} />)}
            </tbody>
        </table>
    );
}

interface Act {
    printedName: string;
    meaning: string;
    at: string;
    signed: boolean;
    about: string[];
}

// Groups acts of one person at one time into a line: many results are verified at once.
function actsOf(people: NonNullable<Content['people']>): Act[] {
    const acts = new Map<string, Act>();
    for (const { printedName, meaning, about, at, signed } of people) {
        const key = `${printedName}/${meaning}/${at}`;
        const act = acts.get(key) ?? { printedName, meaning, at, signed, about: [] };
        acts.set(key, { ...act, about: [...act.about, ...(about ? [about] : [])] });
    }
    return [...acts.values()];
}

function People({ content }: { content: Content }): ReactElement | null {
    const acts = actsOf(content.people ?? []);
    return acts.length ? (
        <section>
            <h3>{words.people}</h3>
            <ul>
                {acts.map((act) => (
                    <li key={`${act.printedName} ${act.meaning} ${act.at}`}>
                        {words.act(act.printedName, act.meaning, act.about)},{' '}
                        {written(act.at)}{act.signed ? `, ${words.signed}` : ''}
                    </li>
                ))}
            </ul>
        </section>
    ) : null;
}

function Approvals({ content }: { content: Content }): ReactElement | null {
    const approvals = content.approvals ?? [];
    return approvals.length ? (
        <section>
            <h3>{words.approvals}</h3>
            <ul>
                {approvals.map(({ name, status, decidedBy, decidedAt, signatureFits }) => (
                    <li key={name}>
                        {[words.approval(name, status, decidedBy ?? ''), written(decidedAt)]
                            .filter(Boolean).join(', ')}
                        {signatureFits === false ? <>. {words.unfit}</> : null}
                    </li>
                ))}
            </ul>
        </section>
    ) : null;
}

function AmendmentPart({ of }: { of: Amendment }): ReactElement {
    return (
        <section>
            <h3>{words.amendmentOf(of.version, of.openedBy ?? '')}</h3>
            <p>{[written(of.openedAt), of.reason].filter(Boolean).join(': ')}</p>
            <ul>
                {(of.changes ?? []).map((change) =>
                    <li key={change.member}>{changeIn(change)}</li>)}
            </ul>
        </section>
    );
}

// Returns the explanations of the results, in the order in which they are printed.
function statementsOf(content: Content): string[] {
    const { qualifiers, statements, laboratory, withoutAnalysisDay, results } = content;
    return [
        ...(qualifiers ?? []).map(({ qualifier, meaning }) => `${qualifier} ${meaning}`),
        shownOf(content).accredited ? words.scope(laboratory?.accreditation ?? '') : '',
        withoutAnalysisDay?.length ? words.undated(withoutAnalysisDay) : '',
        ...decisionRules(results ?? []),
        ...statements ?? [],
        laboratory?.timeZone ? words.zone(laboratory.timeZone) : '',
    ].filter(Boolean);
}

function Statements({ content }: { content: Content }): ReactElement {
    return (
        <ul className="quiet small">
            {statementsOf(content).map((text) => <li key={text}>{text}</li>)}
        </ul>
    );
}

export function Sheet({ content }: { content: Content }): ReactElement {
    const draft = !content.certificate?.issuedAt;
    return (
        <article tabIndex={0} className={draft ? 'certificate draft' : 'certificate'} data-draft={words.draft}
            aria-label={words.page(content.sample?.trackingId ?? '')}>
            {draft ? <p className="unseen">{words.draft}</p> : null}
            <Head content={content} />
            <Facts content={content} />
            <Results content={content} />
            <Statements content={content} />
            {(content.amendments ?? []).map((of) =>
                <AmendmentPart key={`${of.openedAt} ${of.reason}`} of={of} />)}
            <Approvals content={content} />
            <People content={content} />
        </article>
    );
}

// SPDX-License-Identifier: Apache-2.0
//
// A certificate as a page: what its reader sees. A draft says so.
import type { ReactElement, ReactNode } from 'react';

import { Flag } from '../../parts/status.tsx';
import { limitBeside } from '../../texts/limit.ts';
import { t } from '../../texts/texts.ts';
import { writtenDay, writtenTime } from '../../texts/time.ts';
import { valueOf } from '../../texts/value.ts';
import type { Content, Result } from './content.ts';

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
            <Fact name={words.order}>{order?.orderNumber}</Fact>
            <Fact name={words.sample}>
                <span className="id">{sample?.trackingId}</span>{' '}
                {sample?.sampleIdentifier === sample?.trackingId ? null : sample?.sampleIdentifier}
            </Fact>
            <Fact name={words.project}>{sample?.project}</Fact>
            <Fact name={words.place}>
                {[sample?.materialType, sample?.plantLocation].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.collected}>
                {written(sample?.collectedAt) || day(sample?.collectionDate)}
            </Fact>
            <Fact name={words.received}>{written(sample?.receivedAt)}</Fact>
            <Fact name={words.receipt}>
                {[receipt?.temperature == null ? '' : t.sample.celsius(receipt.temperature),
                    receipt?.condition, receipt?.deviations].filter(Boolean).join(', ')}
            </Fact>
            <Fact name={words.tested}>
                {testsDone?.from ? words.range(day(testsDone.from), day(testsDone.to)) : null}
            </Fact>
            <Fact name={words.remark}>{sample?.remark}</Fact>
        </dl>
    );
}

function ResultRow({ one }: { one: Result }): ReactElement {
    const [code = '', meaning = ''] = t.samples.flags.oos;
    return (
        <tr>
            <th scope="row" title={one.testName}>{one.testCode} {one.testName}</th>
            <td>{one.method}</td>
            <td className="right"><strong>{valueOf(one)}</strong></td>
            <td>{one.unit}</td>
            <td>{limitBeside(one.unit, one.specification)}</td>
            <td>
                {words.conformity[one.conformity ?? 'none'] ?? one.conformity}{' '}
                {one.outOfSpecification ? <Flag code={code} meaning={meaning} /> : null}
            </td>
        </tr>
    );
}

function Results({ results }: { results: Result[] }): ReactElement {
    const { columns } = words;
    return (
        <table className="table" aria-label={t.release.approvals.results(results.length)}>
            <thead>
                <tr>
                    <th scope="col">{columns.test}</th>
                    <th scope="col">{columns.method}</th>
                    <th scope="col" className="right">{columns.result}</th>
                    <th scope="col">{columns.unit}</th>
                    <th scope="col">{columns.limit}</th>
                    <th scope="col">{columns.conformity}</th>
                </tr>
            </thead>
            <tbody>{results.map((one) => <ResultRow key={one.sampleTestId} one={one} />)}</tbody>
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

function Statements({ content }: { content: Content }): ReactElement {
    return (
        <ul className="quiet small">
            {(content.qualifiers ?? []).map(({ qualifier, meaning }) =>
                <li key={qualifier}>{qualifier} {meaning}</li>)}
            {(content.statements ?? []).map((text) => <li key={text}>{text}</li>)}
            {(content.amendments ?? []).map(({ reason }) => <li key={reason}>{reason}</li>)}
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
            <Results results={content.results ?? []} />
            <Statements content={content} />
            <People content={content} />
        </article>
    );
}

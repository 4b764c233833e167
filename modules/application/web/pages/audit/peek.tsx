// SPDX-License-Identifier: Apache-2.0
//
// One entry of the audit trail: all changed columns, the reason, the signature, and the other
// entries of its request.
import { Fragment } from 'react';
import type { ReactElement, ReactNode } from 'react';

import { useRead } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { pageOf } from '../../places.ts';
import { Link } from '../../router.tsx';
import { searchWith } from '../../table/filter.ts';
import { utc } from '../../texts/time.ts';
import { t } from '../../texts/texts.ts';
import { fieldName, linesOf, recordName, tableName } from './changes.ts';
import type { Entry, Line } from './changes.ts';
import { Changed, Instant, Is, Was, whoOf } from './values.tsx';

const words = t.audit.peek;

function Signed({ id }: { id: number | null }): ReactNode {
    const found = useRead('/signatures/{id}', { params: { path: { id: id ?? 0 } } },
        { enabled: id !== null });
    if (id === null) {
        return t.audit.unsigned;
    }
    if (!found.data) {
        return t.audit.signed;
    }
    const { meaning, printedName, stands } = found.data;
    return (
        <>
            <Status glyph="reported" tone="reported">{words.as(meaning, printedName)}</Status>
            {stands === null ? null
                : <><br /><span className="caption">{stands ? words.stands : words.changed}</span></>}
        </>
    );
}

// Returns a period around an entry that holds all entries of its request.
function around(at: string): { from: string; to: string } {
    const moment = new Date(at).getTime();
    return { from: new Date(moment - 300_000).toISOString(),
        to: new Date(moment + 300_000).toISOString() };
}

function SameRequest({ line }: { line: Line }): ReactElement | null {
    const { entry } = line;
    const found = useRead('/audit-entries', { params: { query: {
        requestId: entry.requestId ?? '', ...around(entry.occurredAt), limit: 50,
    } } }, { enabled: entry.requestId !== null });
    const lines = linesOf(found.data?.data ?? []);

    return lines.length > 1 ? (
        <>
            <h3>{words.same(lines.length, found.data?.hasMore ?? false)}</h3>
            <ol className="same">
                {lines.map((one) => (
                    <li key={one.id} aria-current={one.id === line.id ? 'true' : undefined}
                        className="cut">
                        <Changed line={one} />
                        <span className="caption">
                            {tableName(one.entry.table)} {recordName(one.entry)}
                        </span>
                    </li>
                ))}
            </ol>
        </>
    ) : null;
}

function Only({ entry }: { entry: Entry }): ReactElement {
    const { table, recordId, userId, apiKeyId, requestId } = entry;
    const day = entry.occurredAt.slice(0, 10);
    const of = (filters: Record<string, string>): string => paths.audit(searchWith(filters));
    const period = { from: day, to: day };
    return (
        <p className="section small">
            {words.only}{' '}
            <Link href={of({ table, recordId: String(recordId) })}>{words.onlyRecord}</Link>
            {userId === null ? null : <>{', '}
                <Link href={of({ userId: String(userId) })}>{words.onlyPerson}</Link></>}
            {apiKeyId === null ? null : <>{', '}
                <Link href={of({ apiKeyId: String(apiKeyId) })}>{words.onlyKey}</Link></>}
            {requestId === null ? null : <>{', '}
                <Link href={of({ requestId, ...period })}>{words.onlyRequest}</Link></>}
        </p>
    );
}

function What({ line }: { line: Line }): ReactElement {
    const [only] = line.changes;
    return line.entry.action === 'update' && only ? (
        <div className="change">
            <span className="quiet small">{fieldName(only.field)}</span>
            <Was change={only} whole /><Is change={only} whole />
        </div>
    ) : (
        <dl className="pairs">
            {line.changes.map((change) => (
                <Fragment key={change.field}>
                    <dt>{fieldName(change.field)}</dt>
                    <dd>{line.entry.action === 'delete'
                        ? <Was change={change} whole /> : <Is change={change} whole />}</dd>
                </Fragment>
            ))}
        </dl>
    );
}

function Facts({ entry }: { entry: Entry }): ReactElement {
    return (
        <dl className="pairs section">
            <dt>{words.when}</dt>
            <dd>
                <Instant at={entry.occurredAt} /><br />
                <span className="caption">{utc(entry.occurredAt)}</span>
            </dd>
            <dt>{words.who}</dt><dd>{whoOf(entry)}</dd>
            <dt>{words.by}</dt><dd>{entry.surface ? t.audit.surface[entry.surface] : null}</dd>
            <dt>{words.reason}</dt><dd>{entry.reason ?? words.noReason}</dd>
            <dt>{words.signed}</dt><dd><Signed id={entry.signatureId} /></dd>
            <dt>{words.request}</dt><dd className="id cut">{entry.requestId ?? words.noRequest}</dd>
            <dt>{words.chain}</dt>
            <dd>{entry.block === null ? words.open : words.closed(entry.block)}</dd>
        </dl>
    );
}

export function Peek({ line, close }: { line: Line; close: () => void }): ReactElement {
    const { entry } = line;
    const address = pageOf(entry.table, entry.recordId);
    return (
        <aside className="peek" aria-labelledby="peek-title" tabIndex={0}>
            <h2 id="peek-title">
                <span className="cut">
                    {tableName(entry.table)} {t.audit.action[entry.action]}
                </span>
                <span className="push" />
                {address ? (
                    <Link className="btn row" href={address}>{t.samples.open}<kbd>Enter</kbd></Link>
                ) : null}
                <Button kind="row plain" label={words.close} onPress={close}>
                    <Glyph name="close" />
                </Button>
            </h2>
            <p className="id">{recordName(entry)}</p>
            <What line={line} />
            <Facts entry={entry} />
            <Only entry={entry} />
            <SameRequest key={entry.id} line={line} />
        </aside>
    );
}

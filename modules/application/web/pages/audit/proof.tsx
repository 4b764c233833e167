// SPDX-License-Identifier: Apache-2.0
//
// Proof of the audit trail: the chain checked now, its heads for keeping outside, a kept file
// compared, and the archives of old entries.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import { Moment } from '../../parts/moment.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { PlainTable } from '../../table/plain-table.tsx';
import { t } from '../../texts/texts.ts';
import { ChainState, CheckChain, useChain } from './chain.tsx';
import { Compare, Exported } from './compare.tsx';
import { Findings } from './findings.tsx';

const words = t.audit.proof;

function Chain(): ReactElement {
    const { chain, check } = useChain();
    const found = useRead('/audit-blocks', { params: { query: { order: '-id', limit: 5 } } },
        { live: 30 });
    return (
        <section className="section" aria-label={words.chain}>
            <h2>{words.chain}</h2>
            <p>{words.chainWhat}</p>
            <p className="line">
                <CheckChain chain={chain} check={check} /><ChainState chain={chain} />
            </p>
            {chain.is === 'checked' ? (
                <>
                    <p className="caption">{words.checkedAt} <Moment at={chain.at} /></p>
                    <Findings findings={chain.verdict.findings} />
                </>
            ) : null}
            <PlainTable label={words.heads} none={words.noHeads} found={found} columns={[
                { title: words.columns.block, className: 'w-id', cell: ({ id }) => id },
                { title: words.columns.closed, className: 'w-when',
                    cell: ({ closedAt }) => <Moment at={closedAt} /> },
                { title: words.columns.entries, className: 'w-due', cell: ({ entries }) => entries },
                { title: words.columns.head,
                    cell: ({ head }) => <span className="id cut" title={head}>{head}</span> },
            ]} />
        </section>
    );
}

function Signed(): ReactElement {
    const found = useRead('/audit-blocks/public-key', {});
    return (
        <section className="section" aria-label={words.signed}>
            <h2>{words.signed}</h2>
            <p>{words.signedWhat}</p>
            <p>
                <a className="btn" download href={paths.download('/audit-blocks/export', '')}>
                    {words.download}
                </a>
            </p>
            {found.data ? (
                <>
                    <h3>{words.publicKey(found.data.keyId)}</h3>
                    <pre className="id" tabIndex={0}>{found.data.publicKey}</pre>
                </>
            ) : null}
        </section>
    );
}

function Archives(): ReactElement {
    const found = useRead('/audit-archives', { params: { query: { order: '-id' } } });
    return (
        <section className="section" aria-label={words.archives}>
            <h2>{words.archives}</h2>
            <PlainTable label={words.archives} none={words.noArchives}
                noneWhat={words.archivesWhat} found={found} columns={[
                    { title: words.columns.file, className: 'w-long', cell: ({ fileName }) => fileName },
                    { title: words.columns.until, className: 'w-when',
                        cell: ({ lastEntryAt }) => <Moment at={lastEntryAt} /> },
                    { title: words.columns.blocks, className: 'w-id',
                        cell: ({ fromBlock, toBlock }) => words.range(fromBlock, toBlock) },
                    { title: words.columns.entries, className: 'w-due',
                        cell: ({ entries }) => entries },
                    { title: words.columns.digest,
                        cell: ({ sha256 }) => <span className="id cut" title={sha256}>{sha256}</span> },
                ]} />
        </section>
    );
}

export function AuditProof(): ReactElement {
    useTitle(words.title);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{words.title}</h1>
                <span className="push" />
                <Link className="btn" href={paths.audit()}>{words.back}</Link>
            </div>
            <div className="body">
                <div className="pane sections"><Chain /><Signed /><Compare /><Exported /><Archives /></div>
            </div>
        </main>
    );
}

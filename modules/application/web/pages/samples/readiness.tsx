// SPDX-License-Identifier: Apache-2.0
//
// Findings that still block a sample, each with a glyph, a message, who clears it, and a link to
// where.
import type { ReactElement } from 'react';

import { allowed } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { lotOverrideActions } from '../../actions/lot-override.ts';
import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { waysOut } from '../../places.ts';
import type { Way } from '../../places.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

export type Finding = Read<'/samples/{id}/readiness'>['findings'][number];

export type Kind = 'blocks' | 'todo' | 'warns';

// Findings that the ordinary course of work clears; all others mean that something has gone wrong.
const ordinary = new Set(['incomplete_result', 'unverified_result', 'approval_required',
    'retest_undecided', 'qc_pending']);

export function kindOf({ severity, category }: Finding): Kind {
    if (severity === 'warning') {
        return 'warns';
    }
    return ordinary.has(category) ? 'todo' : 'blocks';
}

const groups: Kind[] = ['blocks', 'todo', 'warns'];
const titles = { blocks: t.sample.blockedBy, todo: t.sample.todo, warns: t.sample.warnings };
const glyphs = { blocks: 'blocked', todo: 'progress', warns: 'attention' } as const;

const only = (id: number | null): number[] => id === null ? [] : [id];

// Returns links from a finding to what clears it: the nearest record that it names.
function waysOf(finding: Finding, sampleId: number): Way[] {
    const { category, sampleTestId } = finding;
    if (category === 'worksheet_incomplete' && sampleTestId !== null) {
        return [{ noun: 'worksheet', no: undefined, href: paths.worksheetOf(sampleTestId) }];
    }
    const ways = waysOut({ slug: category, qcBatchIds: only(finding.qcBatchId),
        mediaLotIds: only(finding.mediaLotId), reagentLotIds: only(finding.reagentLotId),
        approvalIds: only(finding.approvalId), investigationIds: only(finding.investigationId),
        testIds: only(sampleTestId) });
    // The test stands on the same page.
    return ways.map((way) => way.noun === 'test' && sampleTestId !== null
        ? { ...way, href: paths.testOf(sampleId, sampleTestId) } : way);
}

function Go({ finding, sampleId, acts }: {
    finding: Finding; sampleId: number; acts: Ready[];
}): ReactElement | null {
    const ways = waysOf(finding, sampleId);
    // An approval that nobody has asked for is asked for by completing the sample, and one that
    // was rejected, by completing it again.
    const needed = finding.category === 'approval_rejected' ? 'sample.complete-again'
        : ways.length === 0 && finding.category === 'approval_required' ? 'sample.complete' : '';
    const act = acts.find(({ id }) => id === needed);
    return (
        <>
            {ways.map(({ noun, no, href }) => (
                <span key={href}><Link href={href}>{t.wayTo(noun, no)}</Link> </span>
            ))}
            {act ? <Button kind="row" onPress={act.run}>{act.title}</Button> : null}
            {allowed(lotOverrideActions, { sampleId, finding }).map(({ id, title, run }) => (
                <Button key={id} kind="row" onPress={run}>{title}</Button>
            ))}
        </>
    );
}

function Group({ title, kind, findings, sampleId, acts }: {
    title: string; kind: Kind; findings: Finding[]; sampleId: number; acts: Ready[];
}): ReactElement | null {
    const own = findings.filter((finding) => kindOf(finding) === kind);
    return own.length ? (
        <>
            <h3>{title}</h3>
            <ul className="findings">
                {own.map((finding, i) => (
                    <li key={i}>
                        <Glyph name={glyphs[kind]} tone={glyphs[kind]} />
                        <div>
                            <p>{finding.message}</p>
                            {finding.clearedBy
                                ? <span className="quiet">{t.sample.clearedBy(finding.clearedBy)} </span> : null}
                            <Go finding={finding} sampleId={sampleId} acts={acts} />
                        </div>
                    </li>
                ))}
            </ul>
        </>
    ) : null;
}

export const useReadiness = (id: number) =>
    useRead('/samples/{id}/readiness', { params: { path: { id } } }, { live: 15 });

const none: Ready[] = [];

// `acts`: what can be done on the page, of which a finding shows what clears it.
export function Findings({ sampleId, acts = none }: {
    sampleId: number; acts?: Ready[];
}): ReactElement {
    const readiness = useReadiness(sampleId);
    if (!readiness.data) {
        return readiness.error ? <Refused problem={readiness.error} />
            : <Waiting what={t.sample.readiness} rows={4} />;
    }
    const { findings } = readiness.data;
    if (findings.length === 0) {
        return <p className="quiet section">{t.sample.allDone}</p>;
    }
    return (
        <>
            {groups.map((kind) => (
                <Group key={kind} title={titles[kind]} kind={kind} findings={findings}
                    sampleId={sampleId} acts={acts} />
            ))}
        </>
    );
}

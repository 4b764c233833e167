// SPDX-License-Identifier: Apache-2.0
//
// What still blocks a sample: the shape, what it is, who clears it, the way there.
import type { ReactElement } from 'react';

import { useRead } from '../../api/read.ts';
import type { Read } from '../../api/read.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

export type Finding = Read<'/samples/{id}/readiness'>['findings'][number];

export type Kind = 'blocks' | 'todo' | 'warns';

// What is to be done in the ordinary course of work, as against what has gone wrong.
const ordinary = new Set(['incomplete_result', 'unverified_result', 'approval_required',
    'retest_undecided', 'qc_pending']);

export function kindOf({ severity, category }: Finding): Kind {
    if (severity === 'warning') {
        return 'warns';
    }
    return ordinary.has(category) ? 'todo' : 'blocks';
}

const glyphs = { blocks: 'blocked', todo: 'progress', warns: 'attention' } as const;

function Go({ finding, sampleId }: { finding: Finding; sampleId: number }): ReactElement | null {
    if (finding.investigationId) {
        return <Link href={paths.sample(sampleId, 'investigations')}>{t.sample.go.investigations}</Link>;
    }
    if (finding.approvalId) {
        return <Link href={paths.sample(sampleId, 'approvals')}>{t.sample.go.approvals}</Link>;
    }
    if (finding.sampleTestId) {
        return (
            <Link href={paths.testOf(sampleId, finding.sampleTestId)}>
                {t.sample.go.test}
            </Link>
        );
    }
    return null;
}

function Group({ title, kind, findings, sampleId }: {
    title: string; kind: Kind; findings: Finding[]; sampleId: number;
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
                            <Go finding={finding} sampleId={sampleId} />
                        </div>
                    </li>
                ))}
            </ul>
        </>
    ) : null;
}

export const useReadiness = (id: number) =>
    useRead('/samples/{id}/readiness', { params: { path: { id } } }, { live: 15 });

export function Findings({ sampleId }: { sampleId: number }): ReactElement {
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
            <Group title={t.sample.blockedBy} kind="blocks" findings={findings} sampleId={sampleId} />
            <Group title={t.sample.todo} kind="todo" findings={findings} sampleId={sampleId} />
            <Group title={t.sample.warnings} kind="warns" findings={findings} sampleId={sampleId} />
        </>
    );
}

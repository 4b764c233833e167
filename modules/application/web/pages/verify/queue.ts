// SPDX-License-Identifier: Apache-2.0
//
// The queue of results to verify: by run, with what has to be looked at. What that is, the
// service said: here it is only put in order.
import type { Reviewed } from '../../actions/verify.ts';
import { t } from '../../texts/texts.ts';
import { valueOf } from '../../texts/value.ts';

export type Kind = 'own' | 'stop' | 'look';

export interface Look {
    text: string;
    slug?: string;
}

export interface Line {
    test: Reviewed;
    // Reason why the line is open, and whether it can be ticked; null: one line is enough.
    kind: Kind | null;
    looks: Look[];
}

export interface Run {
    key: string;
    method: string;
    batch: { id: number; number: string; status: string } | null;
    lines: Line[];
}

const { look } = t.verify;

function warningTexts(test: Reviewed): Look[] {
    const { review } = test;
    const worksheet = look.worksheet[review?.worksheetStatus ?? ''];
    const texts = [
        test.outOfSpecification
            ? look.outside(`${valueOf(test)} ${test.unit ?? ''}`.trim(), test.specification ?? '') : '',
        test.confirmationStatus === 'pending' ? look.presumptive : '',
        test.holdingStatus === 'expired' ? look.holding : '',
        ...(review?.qcBatches ?? []).filter(({ qcStatus }) => qcStatus !== 'passed')
            .map(({ batchNumber, qcStatus }) => look.qc(batchNumber, t.verify.qc[qcStatus] ?? qcStatus)),
        worksheet ?? '',
        test.reported ? '' : look.undecided,
        ...test.entryWarnings.map(({ message }) => message),
    ];
    return texts.filter(Boolean).map((text) => ({ text }));
}

export function lineOf(test: Reviewed): Line {
    const refusals = test.review?.refusals ?? [];
    const own = refusals.find(({ error }) => error === 'self_verification');
    if (own) {
        return { test, kind: 'own', looks: [{ text: own.message, slug: own.error }] };
    }
    if (refusals.length) {
        return { test, kind: 'stop',
            looks: refusals.map(({ error, message }) => ({ text: message, slug: error })) };
    }
    const looks = warningTexts(test);
    return { test, kind: looks.length ? 'look' : null, looks };
}

// Groups tests by run, in the order in which the runs' first results were entered.
export function runsOf(tests: Reviewed[], methodOf: (test: Reviewed) => string): Run[] {
    const runs = new Map<string, Run>();

    for (const test of tests) {
        const batch = test.review?.qcBatches[0];
        const method = methodOf(test);
        const key = `${batch?.id ?? ''}/${method}`;
        const run = runs.get(key) ?? { key, method, lines: [],
            batch: batch ? { id: batch.id, number: batch.batchNumber, status: batch.qcStatus } : null };
        run.lines.push(lineOf(test));
        runs.set(key, run);
    }
    return [...runs.values()];
}

// Returns the ticked lines: those that need no attention, corrected by what the reviewer has ticked
// and unticked. A result that was entered anew since is in neither.
export type Decided = ReadonlyMap<number, { ticked: boolean; seen: string }>;

export function isTicked({ test, kind }: Line, decided: Decided): boolean {
    const own = decided.get(test.id);
    if (kind === 'own' || kind === 'stop') {
        return false;
    }
    return own && own.seen === test.review?.contentHash ? own.ticked : kind === null && !own;
}

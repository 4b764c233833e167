// SPDX-License-Identifier: Apache-2.0
//
// The forms of lots: receiving one, changing it, recording a test of a medium.
import type { FormDefinition, Member } from '../../form/definition.ts';
import type { LotKind } from '../../paths.ts';
import { t } from '../../texts/texts.ts';

const words = t.lots.form;
const nameOf = (lot: Record<string, unknown>): string => String(lot['code'] ?? '');

const head = (labels: typeof words.members): Record<string, Member> => ({
    code: { label: labels.code },
    lotNumber: { label: labels.lotNumber },
    name: { label: labels.name },
});

const tail: Record<string, Member> = {
    supplier: { label: words.members.supplier },
    expiresOn: { label: words.members.expiresOn },
    openedOn: { label: words.members.openedOn },
    useDaysAfterOpening: { label: words.members.useDaysAfterOpening },
    notes: { label: words.members.notes, long: true },
};

export const lotForms: Record<LotKind, FormDefinition> = {
    reagent: {
        list: '/reagent-lots', one: '/reagent-lots/{id}', name: nameOf,
        members: { ...head(words.members), ...tail,
            qcStatus: { label: words.members.qcStatus, words: t.lots.status, only: 'new' } },
        create: words.create.reagent, change: words.change,
        created: words.created, changed: words.changed,
    },
    media: {
        list: '/media-lots', one: '/media-lots/{id}', name: nameOf,
        members: { ...head(words.members), medium: { label: words.members.medium },
            preparedOn: { label: words.members.preparedOn }, ...tail },
        create: words.create.media, change: words.change,
        created: words.created, changed: words.changed,
    },
};

export const testForm = (lotId: number): FormDefinition => ({
    list: '/media-lots/{id}/tests', of: lotId, one: '/media-lots/{id}', name: nameOf,
    members: {
        kind: { label: t.lots.test.kind, words: t.lots.test.kinds },
        organism: { label: t.lots.test.organism },
        inoculumCfu: { label: words.members.inoculumCfu },
        recoveryPercent: { label: words.members.recoveryPercent },
        outcome: { label: t.lots.test.outcome, words: t.lots.status },
        performedOn: { label: words.members.performedOn },
        notes: { label: words.members.notes, long: true },
        reason: { label: words.members.reason },
    },
    create: words.test, change: words.change,
    created: words.tested, changed: words.changed,
});

// SPDX-License-Identifier: Apache-2.0
//
// The form of a reading.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.confirmations;

export const stepForm = (id: number): FormDefinition => ({
    list: '/confirmations/{id}/steps', of: id, one: '/confirmations/{id}',
    name: (one) => `${String(one['testCode'])} ${String(one['trackingId'])}`,
    members: {
        medium: { label: words.members.medium },
        mediaLotId: { label: words.members.mediaLotId, records: '/media-lots' },
        procedure: { label: words.members.procedure },
        readAt: { label: words.members.readAt },
        reading: { label: words.members.reading },
        outcome: { label: words.members.outcome },
        notes: { label: words.members.notes, long: true },
    },
    create: words.step, change: words.change, created: words.recorded, changed: words.recorded,
});

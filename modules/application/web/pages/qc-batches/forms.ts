// SPDX-License-Identifier: Apache-2.0
//
// A control that no template asks for, added to a batch by hand; what a batch says of itself.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const { batchForm: about, form: words } = t.batches;
const labels = words.members;

export const controlForm: FormDefinition = {
    list: '/qc-controls', one: '/qc-controls/{id}',
    name: (control) => String(control['controlType'] ?? ''),
    members: {
        controlType: { label: labels.controlType },
        testDefinitionId: { label: labels.testDefinitionId, records: '/test-definitions' },
        criterion: { label: labels.criterion, words: t.reference.words.criterion },
        expectedValue: { label: labels.expectedValue },
        nativeValue: { label: labels.nativeValue },
        measuredValue: { label: labels.measuredValue },
        lowerLimit: { label: labels.lowerLimit },
        upperLimit: { label: labels.upperLimit },
        unit: { label: labels.unit },
        expectedText: { label: labels.expectedText },
        measuredText: { label: labels.measuredText },
        level: { label: labels.level },
        lot: { label: labels.lot },
        notes: { label: labels.notes, long: true },
    },
    create: words.create, change: words.change, created: words.created, changed: words.created,
};

// The method of a batch that a template made is the template's.
export const batchForm = (isOfTemplate: boolean): FormDefinition => ({
    one: '/qc-batches/{id}', name: (batch) => String(batch['batchNumber'] ?? ''),
    members: {
        batchNumber: { label: about.members.batchNumber },
        ...(isOfTemplate ? {} : { method: { label: about.members.method } }),
        analysisDate: { label: about.members.analysisDate },
        instrumentId: { label: about.members.instrumentId, records: '/instruments' },
        notes: { label: about.members.notes, long: true },
    },
    change: about.change, changed: about.changed,
});

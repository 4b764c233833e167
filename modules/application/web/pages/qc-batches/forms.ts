// SPDX-License-Identifier: Apache-2.0
//
// A control that no template asks for, added to a batch by hand.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const { form: words } = t.batches;
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

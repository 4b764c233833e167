// SPDX-License-Identifier: Apache-2.0
//
// The form of a specification; its test, material and project are those of its cell.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.reference.specifications;
const { members } = words;

export const specificationForm = (name: string): FormDefinition => ({
    list: '/specifications',
    one: '/specifications/{id}',
    members: {
        low: { label: members.low }, high: { label: members.high },
        expectedText: { label: members.expectedText },
        decisionRule: { label: members.decisionRule, long: true },
    },
    create: words.set(name),
    change: () => words.change(name),
    created: () => words.saved(name),
    changed: () => words.saved(name),
    name: () => name,
    table: 'specification',
});

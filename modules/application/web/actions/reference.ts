// SPDX-License-Identifier: Apache-2.0
//
// Actions on reference data: making a record, deactivating it and activating it again.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { change, readRecord } from '../form/service.ts';
import type { Noun } from '../nouns/reference.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { labelAction } from './labels.tsx';
import { hasFile } from './reference-files.ts';

export interface Row {
    id: number;
    active: boolean;
    [member: string]: unknown;
}

const inUse = (rows: Row[], active: boolean): Row[] => rows.filter((row) => row.active === active);

function setActive(noun: Noun, rows: Row[], active: boolean): void {
    const words = t.reference;
    ask({
        kind: 'reason',
        title: active ? words.activate(rows.length) : words.deactivate(rows.length),
        ...(active ? {} : { explanation: words.deactivateWhat }),
        lines: rows.map((row) => noun.definition.name(row)),
        reason: 'may',
        perform: async ({ reason }) => each(rows, (row) => noun.definition.name(row), async (row) => {
            const { etag } = await readRecord(noun.definition, row.id);
            await change(noun.definition, row.id, etag, reason ? { active, reason } : { active });
        }, active ? words.activated : words.deactivated),
    });
}

export const importAction = <About>(slug: string, title: string): Action<About> => ({
    id: `${slug}.import`,
    title: () => t.reference.file.import(title),
    permission: 'reference.manage',
    rare: true,
    visible: () => hasFile(slug),
    perform: () => navigate(paths.reference(slug, 'import')),
});

export const referenceActions = (noun: Noun): Action<Row[]>[] => [
    {
        id: `${noun.slug}.create`,
        title: () => t.reference.nouns[noun.slug].create,
        permission: noun.permission ?? 'reference.manage',
        step: true,
        keys: 'n',
        perform: () => navigate(paths.reference(noun.slug, 'new')),
    },
    {
        id: `${noun.slug}.change`,
        title: ([row]) => t.reference.edit(row ? noun.definition.name(row) : ''),
        permission: 'reference.manage',
        keys: 'e',
        visible: (rows) => rows.length === 1,
        perform: ([row]) => row && navigate(paths.reference(noun.slug, row.id)),
    },
    ...noun.slug === 'storage-locations'
        ? [labelAction<Row>('storage-location', (row) => noun.definition.name(row))] : [],
    importAction(noun.slug, t.reference.nouns[noun.slug].title),
    {
        id: `${noun.slug}.deactivate`,
        title: (rows) => t.reference.deactivate(inUse(rows, true).length),
        permission: 'reference.manage',
        rare: true,
        visible: (rows) => inUse(rows, true).length > 0,
        perform: (rows) => setActive(noun, inUse(rows, true), false),
    },
    {
        id: `${noun.slug}.activate`,
        title: (rows) => t.reference.activate(inUse(rows, false).length),
        permission: 'reference.manage',
        rare: true,
        visible: (rows) => inUse(rows, false).length > 0,
        perform: (rows) => setActive(noun, inUse(rows, false), true),
    },
];

// SPDX-License-Identifier: Apache-2.0
//
// The forms of webhook endpoints: registering and changing one, and acts with a body.
import type { FormDefinition } from '../../form/definition.ts';
import { t } from '../../texts/texts.ts';

const words = t.webhooks;
const { members } = words;

const endpoint: FormDefinition = {
    list: '/webhook-endpoints',
    one: '/webhook-endpoints/{id}',
    members: {
        name: { label: members.name }, url: { label: members.url },
        events: { label: members.events }, standardHeaders: { label: members.standardHeaders },
    },
    create: words.create,
    change: words.change,
    created: words.created,
    changed: words.changed,
    name: (record) => String(record['name'] ?? ''),
    table: 'webhook_endpoint',
};

interface Form {
    definition: FormDefinition;
    note?: string;
}

const acts: Record<string, Form> = {
    rotate: { note: words.rotateWhat, definition: {
        ...endpoint, act: '/webhook-endpoints/{id}/rotate',
        members: { overlapHours: { label: members.overlapHours } },
        change: words.rotate, changed: words.rotated,
    } },
    test: { definition: {
        ...endpoint, act: '/webhook-endpoints/{id}/test',
        members: { message: { label: members.message } },
        change: words.test, changed: words.tested,
    } },
    recover: { note: words.recoverWhat, definition: {
        ...endpoint, act: '/webhook-endpoints/{id}/recover',
        members: { since: { label: members.since } },
        change: words.recover, changed: words.recovered,
    } },
};

export const formOf = (act: string | undefined): Form => acts[act ?? ''] ?? { definition: endpoint };

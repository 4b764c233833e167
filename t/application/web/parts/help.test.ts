// SPDX-License-Identifier: Apache-2.0
//
// Help beside inputs is for people: no form shows the wording of the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FormDefinition, Member } from '../../../../modules/application/web/form/definition.ts';
import { factsForm } from '../../../../modules/application/web/form/facts.ts';
import { bodyOf, explain, helpOf } from '../../../../modules/application/web/form/schema.ts';
import type { Schema } from '../../../../modules/application/web/form/schema.ts';
import { stepForm } from '../../../../modules/application/web/pages/confirmations/forms.ts';
import { actionForm, investigationForm } from '../../../../modules/application/web/pages/investigations/forms.ts';
import { keyForm, rotation } from '../../../../modules/application/web/pages/keys/forms.ts';
import { lotForms, testForm } from '../../../../modules/application/web/pages/lots/forms.ts';
import { formOf as organizationForm } from '../../../../modules/application/web/pages/organization/forms.ts';
import { tabs } from '../../../../modules/application/web/pages/organization/tabs.ts';
import { batchForm, controlForm } from '../../../../modules/application/web/pages/qc-batches/forms.ts';
import { nouns } from '../../../../modules/application/web/pages/reference/nouns.ts';
import { specificationForm } from '../../../../modules/application/web/pages/reference/specification-form.ts';
import { userForm } from '../../../../modules/application/web/pages/users/forms.ts';
import { formOf as webhookForm } from '../../../../modules/application/web/pages/webhooks/forms.ts';
import { t } from '../../../../modules/application/web/texts/texts.ts';

const forms: FormDefinition[] = [
    factsForm, stepForm(1), actionForm(1), investigationForm, keyForm, rotation, lotForms.media,
    lotForms.reagent, testForm(1), ...tabs.map(organizationForm), controlForm, batchForm(false),
    ...nouns.map(({ definition }) => definition), specificationForm('a cell'), userForm,
    ...['', 'rotate', 'test', 'recover'].map((act) => webhookForm(act).definition),
];

// Wording that only programs have a use for: names of members and directives, times in UTC (a form has
// the laboratory's), ids, how bytes are written.
const forPrograms = new RegExp('`|Lims[A-Z]|[a-z][A-Z]|[a-z]_[a-z]|\\bUTC\\b|\\b[Ii]ds? of\\b|\\b[Nn]ull\\b'
    + '|\\babsent:|base64|BCP|JSON|\\borganization\\b|\\boo[stf]\\b|\\brpd\\b|\\bPATCH\\b|\\bPOST\\b'
    + '|in a change|\\bpolicy [a-z]+ required\\b');

// Each help of the members, with its path.
function helps(members: Record<string, Member>, schema: Schema, within = ''): [string, string][] {
    return Object.entries(members).flatMap(([name, member]) => {
        const own = (schema.properties ?? schema.items?.properties)?.[name] ?? {};
        const said = helpOf(own);
        return [...said ? [[within + name, said] as [string, string]] : [],
            ...helps(member.members ?? {}, own, `${within}${name}.`)];
    });
}

async function bodiesOf({ act, list, one, shape }: FormDefinition): Promise<[string, Schema][]> {
    const changes = act ? [`POST ${act}`] : [...list ? [`POST ${list}`] : [], `PATCH ${one}`];
    const found = await Promise.all(changes.map(async (change): Promise<[string, Schema][]> => {
        try {
            const body = await bodyOf(change);
            return [[change, shape ? shape.schema(body) : body]];
        } catch {
            return [];
        }
    }));
    return found.flat();
}

test('no form helps in the words of the API', async () => {
    let count = 0;
    for (const form of forms) {
        for (const [change, body] of await bodiesOf(form)) {
            for (const [path, said] of helps(form.members, body)) {
                count++;
                assert.ok(!forPrograms.test(said), `${change}, ${path}: ${said}`);
            }
        }
    }
    assert.ok(count > 200, `only ${count} members were looked at`);
});

test('every help of the texts belongs to a member of a form', async () => {
    const known = new Set<string>();
    for (const form of forms) {
        for (const [change, body] of await bodiesOf(form)) {
            helps(form.members, body).forEach(([path]) =>
                known.add(`${change.replace(/^[A-Z]+ /, '').replace(/\/\{id\}$/, '')} ${path}`));
        }
    }
    for (const [route, members] of Object.entries(t.help)) {
        for (const member of Object.keys(members).filter((path) => !path.startsWith('changes.'))) {
            assert.ok(known.has(`${route} ${member}`), `${route} has no ${member}`);
        }
    }
});

test('a member within a list has the help of the texts', () => {
    const body: Schema = { properties: { controls: { items: { properties: {
        count: { description: 'Number of it in a batch, for each perSamples samples.' } } } } } };
    explain('PATCH /qc-templates/{id}', body);
    assert.equal(helpOf(body.properties?.['controls']?.items?.properties?.['count'] ?? {}),
        'How many of them each set has.');
});

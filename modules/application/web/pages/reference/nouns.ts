// SPDX-License-Identifier: Apache-2.0
//
// Reference data as data: of each noun its routes, the members of its form and the columns
// of its list. What a new noun needs besides is in ../../../README.md, "Reference data".
import type { ReadPath } from '../../api/read.ts';
import type { FormDefinition, Member } from '../../form/definition.ts';
import type { ColumnOf, Noun } from '../../nouns/reference.ts';
import { t } from '../../texts/texts.ts';

const label = t.reference.members;

type MemberName = keyof typeof label;

// Members by name, with the label of that name.
function members(
    names: MemberName[], more: Partial<Record<MemberName, Omit<Member, 'label'>>> = {},
): Record<string, Member> {
    return Object.fromEntries(names.map((name) => [name, { label: label[name], ...more[name] }]));
}

const nameOf = (record: Record<string, unknown>): string =>
    String(record['code'] ?? record['name'] ?? '');

function noun(
    slug: Noun['slug'], routes: Pick<FormDefinition, 'list' | 'one'> & { list: ReadPath },
    fields: Record<string, Member>, columns: ColumnOf[], permission?: string,
): Noun {
    const { create, change, created, changed } = t.reference.nouns[slug];
    return {
        slug, list: routes.list, columns,
        definition: { ...routes, members: fields, create, change, created, changed, name: nameOf,
            table: slug.replaceAll('-', '_').replace(/s$/, '') },
        ...(permission ? { permission } : {}),
    };
}

const { words, roles } = t.reference;
const code = { member: 'code', className: 'w-id id' };
const name = { member: 'name', className: '' };
const confirmation = { members: members(['step', 'medium', 'afterHours']) };
const controls = { members: members(['type', 'level', 'testDefinitionId',
    'criterion', 'expectedValue', 'expectedText', 'lowerLimit', 'upperLimit', 'unit', 'count'],
{ testDefinitionId: { records: '/test-definitions' }, criterion: { words: words.criterion } }) };

export const nouns: Noun[] = [
    noun('test-definitions', { list: '/test-definitions', one: '/test-definitions/{id}' },
        members(['code', 'name', 'method', 'resultType', 'unit', 'decimals', 'specificationLow',
            'specificationHigh', 'specificationText', 'decisionRule', 'reportingLimit',
            'methodDetectionLimit', 'uncertainty', 'accredited', 'holdingTimeHours',
            'preservation', 'turnaroundDays', 'requiresWorksheet',
            'requiresConfirmation', 'presumptiveMinimum', 'confirmationPlan', 'active'],
        { resultType: { words: words.resultType }, decisionRule: { long: true },
            confirmationPlan: confirmation }),
        [code, name, { member: 'method', className: 'w-long p2' },
            { member: 'unit', className: 'w-name' },
            { member: 'holdingTimeHours', className: 'w-state right p3' },
            { member: 'turnaroundDays', className: 'w-name right p4' }]),
    noun('material-types', { list: '/material-types', one: '/material-types/{id}' },
        members(['code', 'name', 'active']), [code, name]),
    noun('projects', { list: '/projects', one: '/projects/{id}' },
        members(['code', 'name', 'clientId', 'compositeSampleIdentifier', 'active'],
            { clientId: { records: '/clients' } }),
        [code, name, { member: 'clientId', className: 'w-ident p2' }]),
    noun('clients', { list: '/clients', one: '/clients/{id}' },
        members(['code', 'name', 'contactName', 'email', 'phone', 'address', 'active'],
            { address: { long: true } }),
        [code, name, { member: 'contactName', className: 'w-who p2' },
            { member: 'email', className: 'w-ident p3' }, { member: 'phone', className: 'w-who p4' }],
        'sample.register'),
    { tree: true, ...noun('storage-locations', { list: '/storage-locations', one: '/storage-locations/{id}' },
        members(['code', 'name', 'parentId', 'kind', 'minTemperature', 'maxTemperature', 'active'],
            { parentId: { records: '/storage-locations' } }),
        [code, name, { member: 'parentId', className: 'w-ident p2' },
            { member: 'kind', className: 'w-who p3' },
            { member: 'minTemperature', className: 'w-due right p4' },
            { member: 'maxTemperature', className: 'w-due right p4' }]) },
    noun('instruments', { list: '/instruments', one: '/instruments/{id}' },
        members(['code', 'name', 'manufacturer', 'model', 'serialNumber', 'storageLocationId',
            'calibrationDue', 'active'], { storageLocationId: { records: '/storage-locations' } }),
        [code, name, { member: 'model', className: 'w-who p3' },
            { member: 'serialNumber', className: 'w-who p4' },
            { member: 'storageLocationId', className: 'w-who p2' },
            { member: 'calibrationDue', className: 'w-name', as: 'day' }]),
    noun('panels', { list: '/panels', one: '/panels/{id}' },
        members(['code', 'name', 'testDefinitionIds', 'active'],
            { testDefinitionIds: { records: '/test-definitions' } }),
        [code, name, { member: 'testDefinitionIds', className: 'w-due right', as: 'count' }]),
    noun('label-sizes', { list: '/label-sizes', one: '/label-sizes/{id}' },
        members(['code', 'name', 'pageWidth', 'pageHeight', 'labelWidth', 'labelHeight', 'columns',
            'rows', 'marginLeft', 'marginTop', 'gapX', 'gapY', 'dpi', 'active']),
        [code, name, { member: 'labelWidth', className: 'w-name right' },
            { member: 'labelHeight', className: 'w-name right' },
            { member: 'columns', className: 'w-when right roomy' },
            { member: 'rows', className: 'w-when right roomy' }]),
    noun('qc-templates', { list: '/qc-templates', one: '/qc-templates/{id}' },
        { ...members(['method'], { method: { only: 'new' } }),
            ...members(['name', 'required', 'perSamples', 'controls', 'active'],
                { controls }) },
        [{ member: 'method', className: 'w-long' }, name,
            { member: 'version', className: 'w-due right' },
            { member: 'perSamples', className: 'w-state right p3' },
            { member: 'controls', className: 'w-due right p2', as: 'count' }]),
    noun('worksheet-templates', { list: '/worksheet-templates', one: '/worksheet-templates/{id}' },
        members(['testDefinitionId', 'name', 'fields', 'signoffSteps', 'active'], {
            testDefinitionId: { records: '/test-definitions', only: 'new' },
            fields: { only: 'new', members: members(['name', 'label', 'unit', 'kind', 'required',
                'formula', 'decimals'],
                { kind: { words: words.kind } }) },
            signoffSteps: { only: 'new', members: members(['name', 'role'], { role: { words: roles } }) },
        }),
        [name, { member: 'testDefinitionId', className: 'w-ident' },
            { member: 'version', className: 'w-due right' },
            { member: 'fields', className: 'w-due right p2', as: 'count' },
            { member: 'signoffSteps', className: 'w-name right p3', as: 'count' }]),
];

export const nounOf = (slug: string | undefined): Noun | undefined =>
    nouns.find((one) => one.slug === slug);

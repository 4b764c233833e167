// SPDX-License-Identifier: Apache-2.0
//
// The organization as a form has it: the policies beside its other members, under their paths
// (`policies.qcRequired`), and each step of approval with its role.
import type { Shape } from '../../form/definition.ts';
import type { Schema } from '../../form/schema.ts';
import { t } from '../../texts/texts.ts';

type Record_ = Record<string, unknown>;

interface Step {
    name: string;
    role: string | null;
}

const listOf = <One>(value: unknown): One[] => Array.isArray(value) ? value as One[] : [];

function stepSchema({ approvalSteps, approvalStepRoles }: Record<string, Schema>): Schema {
    const roles = approvalStepRoles?.items?.enum ?? [];
    return {
        type: 'array', description: approvalSteps?.description ?? '',
        items: { properties: {
            name: { type: 'string', ...approvalSteps?.items },
            role: { type: ['string', 'null'], enum: roles,
                description: t.organization.roleWhat },
        }, required: ['name'] },
    };
}

const prefix = 'policies.';

const flat = <One>(policies: Record<string, One>): Record<string, One> =>
    Object.fromEntries(Object.entries(policies).map(([name, one]) => [prefix + name, one]));

export const shape: Shape = {
    schema: ({ properties = {}, ...rest }) => ({ ...rest, properties: {
        ...properties, ...flat(properties['policies']?.properties ?? {}),
        steps: stepSchema(properties),
    } }),
    record: (record) => {
        const roles = listOf<string | null>(record['approvalStepRoles']);
        return { ...record, ...flat(record['policies'] as Record_),
            steps: listOf<string>(record['approvalSteps']).map((name, i) => ({
                name, role: roles[i] ?? null })) };
    },
    body: ({ steps, ...changes }) => {
        const isPolicy = ([name]: [string, unknown]): boolean => name.startsWith(prefix);
        const policies = Object.entries(changes).filter(isPolicy)
            .map(([name, value]) => [name.slice(prefix.length), value]);
        return {
            ...Object.fromEntries(Object.entries(changes).filter((one) => !isPolicy(one))),
            ...(policies.length ? { policies: Object.fromEntries(policies) } : {}),
            ...(steps === undefined ? {} : {
                approvalSteps: listOf<Step>(steps).map(({ name }) => name),
                approvalStepRoles: listOf<Step>(steps).map(({ role }) => role ?? null),
            }),
        };
    },
    path: (path) => path.replace(/^approvalSteps(\[\d+\])$/, 'steps$1.name')
        .replace(/^approvalStepRoles(\[\d+\])$/, 'steps$1.role')
        .replace(/^approvalStep(?:s|Roles)$/, 'steps'),
};

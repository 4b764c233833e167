// SPDX-License-Identifier: Apache-2.0
//
// The matrix of roles and permissions, and what somebody changes in it before it is sent.
import type { Read } from '../api/read.ts';
import { t } from '../texts/texts.ts';

export type Matrix = Read<'/permissions'>;
export type Role = Matrix['roles'][number]['role'];

export const roleNames: Record<Role, string> = t.reference.roles;

// Permissions in the order of a sample's way.
export const groups = {
    data: ['data.read', 'audit.read', 'note.add'],
    sample: ['sample.register', 'sample.receive', 'sample.edit', 'sample.cancel', 'sample.report'],
    result: ['result.enter', 'result.verify', 'result.reopen', 'worksheet.fill', 'worksheet.sign',
        'confirmation.record', 'confirmation.decide'],
    release: ['approval.decide', 'certificate.issue', 'certificate.amend'],
    quality: ['qc.enter', 'qc.override', 'lot.manage', 'lot.release', 'investigation.work',
        'investigation.close'],
    instruments: ['file.import', 'file.review', 'profile.manage'],
    administration: ['reference.manage', 'policy.manage', 'user.manage', 'key.manage',
        'webhook.manage'],
};

// Changes of the matrix, by role and permission: whatever somebody else changes meanwhile stays
// theirs.
export type Draft = Partial<Record<string, Record<string, boolean>>>;

export interface Change {
    role: Role;
    permissions: string[];
    gets: string[];
    loses: string[];
}

const of = (matrix: Matrix, role: string): string[] =>
    matrix.roles.find((one) => one.role === role)?.permissions ?? [];

export const has = (matrix: Matrix, draft: Draft, role: string, permission: string): boolean =>
    draft[role]?.[permission] ?? of(matrix, role).includes(permission);

export const toggled = (matrix: Matrix, draft: Draft, role: string, permission: string): Draft =>
    ({ ...draft, [role]: { ...draft[role], [permission]: !has(matrix, draft, role, permission) } });

export function changesIn(matrix: Matrix, draft: Draft): Change[] {
    return matrix.roles.map(({ role, permissions: before }) => {
        const permissions = [...new Set([...before, ...Object.keys(draft[role] ?? {})])]
            .filter((one) => has(matrix, draft, role, one));
        return {
            role, permissions,
            gets: permissions.filter((one) => !before.includes(one)),
            loses: before.filter((one) => !permissions.includes(one)),
        };
    }).filter(({ gets, loses }) => gets.length + loses.length > 0);
}

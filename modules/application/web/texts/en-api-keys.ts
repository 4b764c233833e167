// SPDX-License-Identifier: Apache-2.0
//
// English: API keys.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const keys = {
    title: 'API keys',
    label: 'API keys, newest first',
    none: 'There is no key here.',
    noneWhat: 'A program that uses the API has a key of its own.',
    show: 'Show',
    shown: { use: 'In use', revoked: 'Revoked', all: 'All' },
    columns: { name: 'Name', prefix: 'Begins with', scopes: 'Scopes', by: 'Acts for',
        lastUsed: 'Last used', expires: 'Expires', state: 'Status' },
    allScopes: 'all',
    uploadOnly: 'delivers files only',
    scopes: (n: number) => count(n, 'scope'),
    madeBy: 'made by',
    never: 'never',
    noExpiry: 'never',
    revoked: 'Revoked',
    expired: 'Expired',
    create: 'Create a key',
    created: (name: string) => `The key ${name} is created.`,
    changed: (name: string) => `${name} is changed.`,
    secretTitle: (name: string) => `The key ${name}`,
    secretWhat: 'Give it to the program that uses it, and to nobody else. Who has it can do what'
        + ' it may.',
    rotate: (name: string) => `Rotate ${name}`,
    rotateWhat: 'A new key takes its place, with the same scopes, person and expiry. Both are'
        + ' accepted for as many hours as you say, so that the program can change over.',
    overlap: 'Overlap, hours (0 to 168)',
    rotated: (name: string) => `${name} has a new key.`,
    revoke: (n: number) => `Revoke ${count(n, 'key')}`,
    revokeWhat: 'Their next request is refused. This cannot be undone.',
    revokedAll: (n: number) => `${count(n, 'key')} revoked.`,
    members: { name: 'Name', scopes: 'Scopes', uploadOnly: 'Delivers instrument files only',
        fileStorageMegabytes: 'Storage for files, megabytes', actsFor: 'Acts for',
        expiresAt: 'Expires' },
    words: {
        'samples:read': 'read samples', 'samples:write': 'register and change samples',
        'results:read': 'read results', 'results:write': 'enter results',
        'results:verify': 'verify results', 'reports:write': 'report samples',
        'approvals:read': 'read approvals', 'approvals:write': 'approve and reject',
        'reference:read': 'read reference data', 'reference:write': 'change reference data',
        'instruments:write': 'upload instrument files', 'events:read': 'read events',
        'certificates:read': 'read certificates',
    },
};

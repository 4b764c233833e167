// SPDX-License-Identifier: Apache-2.0
//
// Every address of the application. Nothing else writes one.
import { base } from './api/send.ts';

export const sampleTabs = ['overview', 'edit', 'approvals', 'investigations', 'certificates', 'history',
    'signatures', 'files', 'comments'] as const;
export type SampleTab = (typeof sampleTabs)[number];

export type LotKind = 'reagent' | 'media';

export const paths = {
    home: () => `${base}/`,
    account: () => `${base}/account`,
    link: () => `${base}/link`,
    // Page on which anybody who holds a certificate verifies it; its code is appended.
    verification: () => `${base}/verification`,
    // Address that a module of httpd protects, and at which it signs people in.
    signOn: (what = '') => `${base}/sign-on${what}`,
    samples: (query = '') => `${base}/samples${query}`,
    sample: (id: number, tab = 'overview') =>
        `${base}/samples/${id}${tab === 'overview' ? '' : `/${tab}`}`,
    testOf: (sampleId: number, id: number) => `${base}/samples/${sampleId}#test-${id}`,
    sampleTest: (id: number, tab = '') => `${base}/sample-tests/${id}${tab ? `/${tab}` : ''}`,
    orders: (query = '') => `${base}/orders${query}`,
    newOrder: (like?: number) =>
        `${base}/orders/new${like === undefined ? '' : `?like=${like}`}`,
    order: (id: number, tab = '') => `${base}/orders/${id}${tab === '' ? '' : `/${tab}`}`,
    receive: (orderId?: number) =>
        `${base}/receive${orderId === undefined ? '' : `?order=${orderId}`}`,
    newLot: (kind: LotKind) => `${base}/${kind}-lots/new`,
    lots: (kind: LotKind) => `${base}/${kind}-lots`,
    lot: (kind: LotKind, id: number, tab = '') =>
        `${base}/${kind}-lots/${id}${tab ? `/${tab}` : ''}`,
    investigations: (query = '') => `${base}/investigations${query}`,
    // `about`: the record that is investigated, and what the form begins with.
    newInvestigation: (about: Readonly<Record<string, string | number>> = {}) => {
        const query = new URLSearchParams(Object.entries(about).map(([name, value]) =>
            [name, String(value)])).toString();
        return `${base}/investigations/new${query ? `?${query}` : ''}`;
    },
    investigation: (id: number, tab = '') =>
        `${base}/investigations/${id}${tab ? `/${tab}` : ''}`,
    confirmations: (query = '') => `${base}/confirmations${query}`,
    confirmation: (id: number, tab = '') =>
        `${base}/confirmations/${id}${tab ? `/${tab}` : ''}`,
    worksheets: (query = '') => `${base}/worksheets${query}`,
    worksheet: (id: number, tab = '') => `${base}/worksheets/${id}${tab ? `/${tab}` : ''}`,
    worksheetOf: (testId: number) => `${base}/worksheets/of/${testId}`,
    audit: (query = '') => `${base}/audit${query}`,
    turnaround: (query = '') => `${base}/turnaround${query}`,
    auditProof: () => `${base}/audit/proof`,
    guide: (role = '') => `${base}/guide${role ? `/${role}` : ''}`,
    apiReference: (operation = '') =>
        `${base}/api-reference${operation ? `/${operation}` : ''}`,
    verify: () => `${base}/verify`,
    approvals: (query = '') => `${base}/approvals${query}`,
    approval: (id: number, tab = '') => `${base}/approvals/${id}${tab ? `/${tab}` : ''}`,
    certificates: (query = '') => `${base}/certificates${query}`,
    certificate: (id: number, tab = '') =>
        `${base}/certificates/${id}${tab ? `/${tab}` : ''}`,
    worklist: (by = 'method') => `${base}/worklist${by === 'method' ? '' : `?by=${by}`}`,
    worklistTests: (query = '') => `${base}/worklist/tests${query}`,
    // `tests`: those of the method that are a run by themselves, by their ids.
    bench: (by: 'method' | 'batch', value: string, tests: readonly number[] = []) =>
        `${base}/bench/${by}/${encodeURIComponent(value)}${tests.length ? `/${tests.join()}` : ''}`,
    instrumentFiles: (query = '') => `${base}/instrument-files${query}`,
    instrumentFile: (id: number, tab = 'read') =>
        `${base}/instrument-files/${id}${tab === 'read' ? '' : `/${tab}`}`,
    // A row of a file, as the reader saw it.
    instrumentFileRow: (id: number, row: number, sheet: string | null) =>
        `${base}/instrument-files/${id}?row=${row}${
            sheet === null ? '' : `&sheet=${encodeURIComponent(sheet)}`}`,
    profiles: (query = '') => `${base}/instrument-profiles${query}`,
    // `from`: the version that another one begins with.
    newProfile: (from?: number) =>
        `${base}/instrument-profiles/new${from === undefined ? '' : `?from=${from}`}`,
    profile: (id: number, tab = '') => `${base}/instrument-profiles/${id}${tab ? `/${tab}` : ''}`,
    qcSeries: (id?: number, panel?: 'change', query = '') =>
        `${base}/qc-series${id === undefined ? '' : `/${id}`}${panel ? `/${panel}` : ''}${query}`,
    qcBatches: (query = '') => `${base}/qc-batches${query}`,
    qcBatch: (id: number, tab = 'controls', query = '') =>
        `${base}/qc-batches/${id}${tab === 'controls' ? '' : `/${tab}`}${query}`,
    organization: (tab = '') => `${base}/organization${tab ? `/${tab}` : ''}`,
    users: (record: number | 'new' | '' = '') => `${base}/users${record === '' ? '' : `/${record}`}`,
    permissions: (query = '') => `${base}/permissions${query}`,
    keys: (record: number | 'new' | '' = '') => `${base}/keys${record === '' ? '' : `/${record}`}`,
    keyRotation: (id: number) => `${base}/keys/${id}/rotate`,
    webhooks: (record: number | 'new' | 'signature' | '' = '', act = '') =>
        `${base}/webhooks${record === '' ? '' : `/${record}`}${act ? `/${act}` : ''}`,
    deliveries: (query = '', id: number | '' = '') =>
        `${base}/webhook-deliveries${id === '' ? '' : `/${id}`}${query}`,
    reference: (noun: string, record: number | 'new' | 'import' | '' = '') =>
        `${base}/reference/${noun}${record === '' ? '' : `/${record}`}`,
    // A route of the REST API, which stands beside the application, as programs call it.
    rest: (path: string) =>
        `${location.origin}${base.slice(0, base.lastIndexOf('/'))}/api/v1${path}`,
    // A file of the service itself, answered as attachment.
    download: (path: string, query = '') => `${base}/api${path}${query}`,
};

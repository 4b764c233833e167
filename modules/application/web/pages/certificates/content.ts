// SPDX-License-Identifier: Apache-2.0
//
// Content of a certificate as the service keeps it: a document; older versions may lack members.
import { t } from '../../texts/texts.ts';
import { writtenDay, writtenTime } from '../../texts/time.ts';
import { valueOf } from '../../texts/value.ts';

export interface Content {
    certificate?: { number: string; version: number; issuedAt: string | null;
        reason: string | null; replaces?: { version: number } | null };
    laboratory?: { name: string; address: string | null; accreditation: string | null };
    client?: { name: string; address: string | null } | null;
    order?: { orderNumber?: string } | null;
    sample?: { trackingId: string; sampleIdentifier: string; clientName: string;
        project: string | null; materialType: string; plantLocation: string | null;
        collectedAt: string | null; collectionDate: string | null; receivedAt: string | null;
        externalId: string | null; remark: string | null };
    receipt?: { temperature: number | null; condition: string | null;
        containers: number | null; deviations: string | null } | null;
    results?: Result[];
    testsDone?: { from: string | null; to: string | null } | null;
    people?: { printedName: string; meaning: string; about: string | null; at: string;
        signed: boolean }[];
    qualifiers?: { qualifier: string; meaning: string }[];
    statements?: string[];
    amendments?: { reason: string; at?: string }[];
    withoutAnalysisDay?: string[];
}

export interface Result {
    sampleTestId: number;
    testCode: string;
    testName: string;
    method: string | null;
    result: string | null;
    qualifier: string | null;
    unit: string | null;
    specification: string | null;
    conformity: string | null;
    outOfSpecification: boolean | null;
    analyzedAt: string | null;
    remark: string | null;
}

// The document of the service, whose form its kind and version decide.
export const contentOf = (document: unknown): Content => document as Content;

// A day or a time as the certificate writes it; any other value as it is.
const shown = (value: string): string => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)
    ? writtenTime(value) : /^\d{4}-\d\d-\d\d$/.test(value) ? writtenDay(value) : value;

// Maps each statement of a certificate, by a name that people recognize, to its value, so that two
// versions can be compared.
export function saidBy(content: Content): Map<string, string> {
    const { sample, client, receipt } = content;
    const said = new Map<string, string>();
    const note = (what: string, value: unknown): void => {
        if (value !== null && value !== undefined && value !== '') {
            said.set(what, shown(String(value)));
        }
    };
    for (const [name, value] of Object.entries({ ...sample })) {
        if (!['id', 'clientId', 'projectId', 'materialTypeId', 'reportedAt'].includes(name)) {
            note(name, value);
        }
    }
    note('clientAddress', client?.address);
    note('receiptCondition', receipt?.condition);
    for (const one of content.results ?? []) {
        note(one.testCode, `${valueOf(one)} ${one.unit ?? ''}`.trim());
        note(`${one.testCode} limit`, one.specification);
    }
    return said;
}

const inWords = (id: string): string => id.replace(/^\S+/, (name) => t.amendments.member[name] ?? name);

export interface Difference {
    id: string;
    // Name of the statement, as text.
    what: string;
    before: string;
    after: string;
}

export function differences(before: Content, after: Content): Difference[] {
    const old = saidBy(before);
    const now = saidBy(after);
    return [...new Set([...old.keys(), ...now.keys()])]
        .map((id) => ({ id, what: inWords(id), before: old.get(id) ?? '', after: now.get(id) ?? '' }))
        .filter((one) => one.before !== one.after);
}

// Lists the items that a reader of the certificate will miss.
export function lacks({ laboratory, client, sample, receipt, withoutAnalysisDay }: Content): string[] {
    const { lacks: words } = t.release.certificates;
    const noted = receipt && (receipt.temperature !== null || receipt.condition);
    return [
        laboratory?.address ? '' : words.laboratory,
        client?.address ? '' : words.client,
        laboratory?.accreditation ? '' : words.accreditation,
        sample?.collectedAt ?? sample?.collectionDate ? '' : words.sampled,
        noted ? '' : words.received,
        withoutAnalysisDay?.length ? words.analysed(withoutAnalysisDay) : '',
    ].filter(Boolean);
}

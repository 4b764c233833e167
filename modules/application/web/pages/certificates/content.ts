// SPDX-License-Identifier: Apache-2.0
//
// Content of a certificate as the service keeps it: a document; older versions may lack members.
import { t } from '../../texts/texts.ts';
import { writtenDay, writtenTime } from '../../texts/time.ts';
import { valueOf } from '../../texts/value.ts';

export interface Content {
    certificate?: { number: string; version: number; issuedAt: string | null;
        reason: string | null;
        replaces?: { version: number; issuedAt?: string | null } | null };
    laboratory?: { name: string; address: string | null; accreditation: string | null;
        timeZone?: string };
    client?: { name: string; address: string | null; contactName?: string | null;
        code?: string | null } | null;
    order?: { orderNumber?: string; contact?: string | null } | null;
    sample?: { trackingId: string; sampleIdentifier: string; clientName: string;
        project: string | null; materialType: string; plantLocation: string | null;
        collectedAt: string | null; collectionDate: string | null; receivedAt: string | null;
        externalId: string | null; remark: string | null };
    receipt?: { temperature: number | null; condition: string | null;
        containers: number | null; deviations: string | null; receivedBy?: string | null } | null;
    results?: Result[];
    testsDone?: { from: string | null; to: string | null } | null;
    approvals?: { name: string; status: string; decidedBy: string | null;
        decidedAt: string | null; signatureFits?: boolean | null }[];
    people?: { printedName: string; meaning: string; about: string | null; at: string;
        signed: boolean }[];
    qualifiers?: { qualifier: string; meaning: string }[];
    statements?: string[];
    amendments?: Amendment[];
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
    uncertainty?: string | null;
    accredited?: boolean | null;
    confirmation?: string | null;
    holdingTimeMet?: boolean | null;
    reportingLimit?: number | null;
    methodDetectionLimit?: number | null;
    decisionRule?: string | null;
}

// An amendment that led to this version or to one before it, with what it changed.
export interface Amendment {
    version?: number;
    reason: string;
    openedBy?: string;
    openedAt?: string;
    changes?: Change[];
}

interface Change {
    member: string;
    testCode?: string | null;
    old: unknown;
    new: unknown;
}

// The document of the service, whose form its kind and version decide.
export const contentOf = (document: unknown): Content => document as Content;

const { sheet: words } = t.release;
const { member: names } = t.amendments;

const isSaid = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

// A day or a time as the certificate writes it, yes or no; any other value as it is.
function shown(value: unknown): string {
    const text = String(value);
    return text === 'true' ? words.yes : text === 'false' ? words.no
        : /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? writtenTime(text)
            : /^\d{4}-\d\d-\d\d$/.test(text) ? writtenDay(text) : text;
}

// Lists what stands below a result, in the order in which it is printed.
export function notesOf(one: Result): string[] {
    const { notes } = words;
    const estimated = (limit: number | null | undefined, name: (n: number) => string): string =>
        one.qualifier && typeof limit === 'number' ? name(limit) : '';
    return [
        estimated(one.reportingLimit, notes.reportingLimit),
        estimated(one.methodDetectionLimit, notes.detectionLimit),
        one.confirmation ? notes.confirmation(one.confirmation) : '',
        one.holdingTimeMet === false ? notes.holdingTime : '',
        one.remark ?? '',
    ].filter(Boolean);
}

// Lists each rule by which conformity was judged, with its tests where there are several rules.
export function decisionRules(results: readonly Result[]): string[] {
    const tests = new Map<string, string[]>();
    for (const { decisionRule, testCode } of results) {
        if (decisionRule) {
            tests.set(decisionRule, [...tests.get(decisionRule) ?? [], testCode]);
        }
    }
    return [...tests].map(([rule, codes]) => words.decisionRule(rule, tests.size > 1 ? codes : []));
}

// Returns a change of an amendment in words.
export function changeIn({ member, testCode, old, new: now }: Change): string {
    const [, id, part] = /^tests\[(\d+)\](?:\.(\w+))?$/.exec(member) ?? [];
    const what = [id ? testCode ?? '' : '', names[part ?? member] ?? (id ? part ?? '' : member)]
        .filter(Boolean).join(' ') || words.columns.test;
    const said = (value: unknown): string => isSaid(value) ? shown(value) : t.none;
    return t.amendments.differs(what, said(old), said(now));
}

type Note = (what: string, value: unknown) => void;

// Members of the sample that are numbers of records, or are said elsewhere.
const UNSAID = new Set(['id', 'clientId', 'projectId', 'materialTypeId', 'reportedAt']);

function noteFacts({ laboratory, client, order, sample, receipt, statements }: Content, note: Note): void {
    for (const [name, value] of Object.entries({ ...sample })) {
        if (!UNSAID.has(name)) {
            note(names[name] ?? name, value);
        }
    }
    note(words.laboratory, [laboratory?.name, laboratory?.address].filter(Boolean).join(', '));
    note(words.accreditation, laboratory?.accreditation);
    note(names['clientAddress'] ?? '', client?.address);
    note(words.contact, client?.contactName);
    note(words.order, [order?.orderNumber, order?.contact].filter(Boolean).join(', '));
    note(names['receiptCondition'] ?? '', receipt?.condition);
    note(words.temperature, receipt?.temperature);
    note(words.containers, receipt?.containers);
    note(words.deviations, receipt?.deviations);
    note(words.statements, (statements ?? []).join(' '));
}

// Notes each member of a result that is printed.
function noteResult(one: Result, name: string, note: Note): void {
    note(name, `${valueOf(one)} ${one.unit ?? ''}`.trim());
    const told = (['specification', 'testName', 'method', 'uncertainty', 'confirmation', 'accredited',
        'remark', 'decisionRule'] as const).map((member) => [member, one[member]] as const);
    for (const [member, value] of told) {
        note(`${name} ${names[member]?.toLowerCase() ?? member}`, value);
    }
    note(`${name} ${words.columns.conformity.toLowerCase()}`, one.conformity);
    note(`${name} ${words.columns.analysed.toLowerCase()}`, one.analyzedAt?.slice(0, 10));
    note(`${name} ${words.notes.heading}`, notesOf({ ...one, remark: null, confirmation: null }).join(' '));
}

// Maps each statement of a certificate, by a name that people recognize, to its value, so that two
// versions can be compared.
export function saidBy(content: Content): Map<string, string> {
    const said = new Map<string, string>();
    const note: Note = (what, value) => {
        if (isSaid(value)) {
            said.set(what, shown(value));
        }
    };
    const times = new Map<string, number>();
    noteFacts(content, note);
    for (const one of content.results ?? []) {
        const time = (times.get(one.testCode) ?? 0) + 1;
        times.set(one.testCode, time);
        noteResult(one, time > 1 ? `${one.testCode} (${time})` : one.testCode, note);
    }
    return said;
}

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
        .map((what) => ({ id: what, what, before: old.get(what) ?? '', after: now.get(what) ?? '' }))
        .filter((one) => one.before !== one.after);
}

const codesOf = (results: readonly Result[]): string[] =>
    [...new Set(results.map(({ testCode }) => testCode))];

// Lists the tests that are marked as not accredited, where a scope of accreditation is stated.
export const outsideScope = ({ laboratory, results }: Content): string[] =>
    laboratory?.accreditation
        ? codesOf((results ?? []).filter(({ accredited }) => accredited === false)) : [];

// Lists the items that a reader of the certificate will miss.
export function lacks({
    laboratory, client, sample, receipt, results, withoutAnalysisDay,
}: Content): string[] {
    const { lacks: words } = t.release.certificates;
    const unsaid = laboratory?.accreditation
        ? codesOf((results ?? []).filter(({ accredited }) => typeof accredited !== 'boolean')) : [];
    const noted = receipt && (receipt.temperature !== null || receipt.condition);
    return [
        laboratory?.address ? '' : words.laboratory,
        client?.address ? '' : words.client,
        laboratory?.accreditation ? '' : words.accreditation,
        unsaid.length ? words.accredited(unsaid) : '',
        sample?.collectedAt ?? sample?.collectionDate ? '' : words.sampled,
        noted ? '' : words.received,
        withoutAnalysisDay?.length ? words.analysed(withoutAnalysisDay) : '',
    ].filter(Boolean);
}

// SPDX-License-Identifier: Apache-2.0
//
// Correcting a reported sample: opening an amendment, issuing the next version of the
// certificate, giving it up.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { certifiedRows, signature, signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { session } from '../api/session.ts';
import { CorrectedFacts, correctedBy, correctionOf } from '../form/corrected.tsx';
import type { Correction } from '../form/corrected.tsx';
import { clockIn, groupOf } from '../form/draft.ts';
import { factMembers } from '../form/facts.ts';
import { bodyOf } from '../form/schema.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { dated } from '../texts/time.ts';
import { testsChanged } from './verify.ts';

export type Amendable = Pick<Read<'/samples/{id}'>, 'id' | 'trackingId' | 'status' | 'amendment'>;

const words = t.amendments;

const on = ({ id }: { id: number }) => ({ params: { path: { id } } });

async function amendmentsChanged(): Promise<void> {
    await Promise.all([testsChanged(), changed('/certificates/{id}', '/certificates/{id}/content',
        '/samples/{id}/certificate-preview', '/amendments/{id}', '/approval-records')]);
}

type Amendment = Read<'/amendments/{id}'>;
type Whole = Read<'/samples/{id}'>;

// Returns a member of the sample, or of one of its tests ("tests[178].result"), in words.
function memberName(member: string, { tests }: Whole): string {
    const [, id, part] = /^tests\[(\d+)\](?:\.(\w+))?$/.exec(member) ?? [];
    const test = tests.find((one) => one.id === Number(id));
    return [test?.testCode ?? '', words.member[part ?? member] ?? (id ? '' : member)]
        .filter(Boolean).join(' ') || member;
}

function differencesOf({ differences }: Amendment, whole: Whole): string[] {
    const zone = session()?.organization.timeZone ?? 'UTC';
    const said = (value: string | null): string => value === null ? t.none : dated(value, zone);
    return differences.length ? differences.map(({ member, old, new: now }) =>
        words.differs(memberName(member, whole), said(old), said(now))) : [words.same];
}

// Reads the open amendment, and lists its changes in words.
async function opened(sample: Amendable): Promise<{ of: Amendment; differences: string[] }> {
    const [of, whole] = await Promise.all([
        answer(api.GET('/amendments/{id}', on({ id: sample.amendment?.id ?? 0 }))),
        answer(api.GET('/samples/{id}', on(sample))),
    ]);
    return { of, differences: differencesOf(of, whole) };
}

async function amendment(sample: Amendable, before?: Correction): Promise<Question> {
    const [contents, body, whole] = await Promise.all([signedContents('sample', [sample.id]),
        bodyOf('POST /samples/{id}/amend'), answer(api.GET('/samples/{id}', on(sample)))]);
    const content = contents.get(sample.id);
    const schema = body.properties?.['changes'] ?? {};
    const clock = clockIn(session()?.organization.timeZone ?? 'UTC');
    const of = correctionOf(groupOf(schema, whole, clock), before);

    return {
        kind: 'signature',
        title: words.amend(sample.trackingId),
        explanation: words.amendWhat,
        rows: certifiedRows(sample.trackingId, content),
        reason: 'must',
        fields: <CorrectedFacts key={of.key} schema={schema} members={factMembers} of={of}
            legend={words.corrected} />,
        perform: async ({ reason, password }) => {
            const changes = correctedBy(schema, of, clock);
            await answer(api.POST('/samples/{id}/amend', { ...on(sample), body: {
                reason: reason ?? '', ...(Object.keys(changes).length ? { changes } : {}),
                signature: signature(password, content) } }));
            await amendmentsChanged();
            say({ tone: 'ready', text: words.amended(sample.trackingId) });
        },
        renew: () => amendment(sample, of),
    };
}

async function nextVersion(sample: Amendable): Promise<Question> {
    const id = sample.amendment?.id ?? 0;
    const [{ of, differences }, contents] = await Promise.all([opened(sample), signedContents('amendment', [id])]);
    const content = contents.get(id);

    return {
        kind: 'signature',
        title: words.issueOf(sample.trackingId),
        explanation: words.issueWhat(of.reason),
        lines: differences,
        rows: certifiedRows(sample.trackingId, content),
        perform: async ({ password }) => {
            const made = await answer(api.POST('/certificates', { body: {
                sampleId: sample.id, signature: signature(password, content) } }));
            await amendmentsChanged();
            say({ tone: 'ready', text: words.issued(made.certificateNumber, made.version) });
            navigate(paths.certificate(made.id, 'changes'));
        },
        renew: () => nextVersion(sample),
    };
}

async function ending(
    sample: Amendable, title: string, explanation: string, done: string,
    act: (path: ReturnType<typeof on>, reason: string) => Promise<unknown>,
): Promise<void> {
    const { of, differences } = await opened(sample);
    ask({
        kind: 'reason',
        title,
        explanation,
        lines: differences,
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await act(on(of), reason);
            await amendmentsChanged();
            say({ tone: 'ready', text: done });
        },
    });
}

const isAmended = ({ amendment: of }: Amendable): boolean => of !== null;

export const amendmentActions: Action<Amendable>[] = [
    {
        id: 'sample.amend',
        title: () => words.amendShort,
        permission: 'certificate.amend',
        keys: 'a',
        visible: (sample) => sample.status === 'reported' && !isAmended(sample),
        perform: async (sample) => ask(await amendment(sample)),
    },
    {
        id: 'certificate.next',
        title: () => words.issue,
        permission: 'certificate.amend',
        step: true,
        keys: 'i',
        visible: isAmended,
        perform: async (sample) => ask(await nextVersion(sample)),
    },
    {
        id: 'amendment.resubmit',
        title: () => words.resubmit,
        permission: 'certificate.amend',
        rare: true,
        visible: isAmended,
        perform: (sample) => ending(sample, words.resubmitOf(sample.trackingId), words.resubmitWhat,
            words.resubmitted, (path, reason) =>
                answer(api.POST('/amendments/{id}/resubmit', { ...path, body: { reason } }))),
    },
    {
        id: 'amendment.withdraw',
        title: () => words.withdraw,
        permission: 'certificate.amend',
        rare: true,
        visible: isAmended,
        perform: (sample) => ending(sample, words.withdrawOf(sample.trackingId), words.withdrawWhat,
            words.withdrawn, (path, reason) =>
                answer(api.POST('/amendments/{id}/withdraw', { ...path, body: { reason } }))),
    },
];

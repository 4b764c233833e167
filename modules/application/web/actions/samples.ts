// SPDX-License-Identifier: Apache-2.0
//
// Actions on samples: on those selected in the list, or on the open one.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { activePeople } from '../api/people.ts';
import { changed } from '../api/read.ts';
import { may, session } from '../api/session.ts';
import { isOpen } from '../nouns/sample.ts';
import type { Sample } from '../nouns/sample.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { dayIn } from '../texts/local-time.ts';
import { t } from '../texts/texts.ts';
import { investigating } from './investigating.ts';
import { labelAction } from './labels.tsx';
import { receiptAction } from './receipt.tsx';
import { completeAction, statusActions } from './sample-status.ts';

const name = (sample: Sample): string => sample.trackingId;

export const samplesChanged = (): Promise<void> =>
    changed('/samples', '/samples/counts', '/samples/{id}', '/samples/{id}/readiness', '/samples/{id}/approvals',
        '/samples/{id}/history', '/certificates', '/investigations', '/signatures');

const waits = (samples: Sample[]): Sample[] =>
    samples.filter(({ status, disposition }) => status === 'pending' && disposition === 'active');
const ripe = (samples: Sample[]): Sample[] =>
    samples.filter(({ releaseState }) => releaseState === 'ready_to_report');
const inState = (samples: Sample[], ...states: Sample['disposition'][]): Sample[] =>
    samples.filter(({ disposition, status }) => states.includes(disposition)
        && status !== 'reported');
// Samples whose first certificate can be issued: the next version is that of an amendment
// (actions/amendments.tsx). A record does not say whether there is one, its page asks for it.
const reported = (samples: Sample[]): Sample[] =>
    samples.filter(({ status, amendment, certificateId }) => status === 'reported'
        && amendment === null && certificateId === undefined);

async function receive(samples: Sample[]): Promise<void> {
    const { received, skipped } = await answer(api.POST('/samples/receive', {
        body: { sampleIds: samples.map(({ id }) => id) },
    }));
    say({
        tone: skipped.length ? 'attention' : 'ready',
        text: t.samples.received(received.length),
        details: skipped.map(({ message }) => message),
    });
    await samplesChanged();
}

const path = (sample: Sample) => ({ params: { path: { id: sample.id } } });

function confirmed(
    title: string, explanation: string | undefined, samples: Sample[],
    act: (sample: Sample) => Promise<unknown>, done: (count: number) => string,
): void {
    ask({
        kind: 'confirm',
        title,
        ...(explanation ? { explanation } : {}),
        lines: samples.map(name),
        perform: async () => {
            await each(samples, name, act, done);
            await samplesChanged();
        },
    });
}

function dispose(
    samples: Sample[], disposition: Sample['disposition'], title: string,
    done: (count: number) => string, explanation?: string,
): void {
    ask({
        kind: 'reason',
        title,
        ...(explanation ? { explanation } : {}),
        lines: samples.map(name),
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await each(samples, name, (sample) => answer(api.POST('/samples/{id}/disposition', {
                ...path(sample), body: { disposition, reason },
            })), done);
            await samplesChanged();
        },
    });
}

const worksOn = (samples: Sample[]): Sample[] => inState(samples, 'active', 'on_hold')
    .filter(({ status }) => status !== 'verified');

// The open tests of each sample.
async function assign(samples: Sample[]): Promise<void> {
    const people = await activePeople();
    ask({
        kind: 'confirm',
        title: t.samples.assign(samples.length),
        lines: samples.map(name),
        choices: {
            label: t.samples.assignTo, one: true,
            values: people
                .map(({ id, displayName }) => ({ id: String(id), title: displayName })),
        },
        perform: async ({ chosen: [person] }) => {
            await each(samples, name, async ({ id }) => {
                const { data: tests } = await answer(api.GET('/sample-tests', { params: { query: {
                    sampleId: id, status: ['pending', 'entered'], limit: 200 } } }));
                await answer(api.PATCH('/sample-tests/assign', { body: {
                    sampleTestIds: tests.map((test) => test.id), assignedTo: Number(person) } }));
            }, t.samples.assigned);
            await Promise.all([samplesChanged(), changed('/worklist', '/sample-tests')]);
        },
    });
}

// Whoever cancels samples takes cancelled and rejected ones back; holding them is editing them.
const resumable = (samples: Sample[]): Sample[] => [
    ...may('sample.edit') ? inState(samples, 'on_hold') : [],
    ...may('sample.cancel') ? inState(samples, 'cancelled', 'rejected') : [],
];

// The work on them has ended.
const ended = (samples: Sample[]): Sample[] => samples.filter(
    ({ status, disposition, amendment }) => amendment === null && disposition !== 'disposed'
        && (status === 'reported' || disposition === 'cancelled' || disposition === 'rejected'));

// A receipt can be undone on the day on which it was made.
function receivedToday(samples: Sample[]): Sample[] {
    const zone = session()?.organization.timeZone ?? 'UTC';
    const today = dayIn(zone, Date.now());
    return samples.filter(({ status, disposition, receivedAt }) => status === 'received'
        && disposition === 'active' && receivedAt !== null
        && dayIn(zone, Date.parse(receivedAt)) === today);
}

const unreceive = (samples: Sample[]): void => ask({
    kind: 'reason',
    title: t.samples.unreceive(samples.length),
    explanation: t.samples.unreceiveWhat,
    lines: samples.map(name),
    reason: 'must',
    perform: async ({ reason = '' }) => {
        await each(samples, name, (sample) => answer(api.POST('/samples/{id}/unreceive', {
            ...path(sample), body: { reason },
        })), t.samples.unreceived);
        await Promise.all([samplesChanged(), changed('/orders/{id}')]);
    },
});

const none = (samples: Sample[], why: string): string | undefined =>
    samples.length ? undefined : why;

export const sampleActions: Action<Sample[]>[] = [
    {
        id: 'sample.report',
        title: (all) => t.samples.report(ripe(all).length || all.length, all.length),
        permission: 'sample.report',
        step: true,
        visible: (all) => all.some(({ status }) => status !== 'reported' && status !== 'pending'),
        refused: (all) => none(ripe(all), t.samples.reportNone),
        perform: (all) => confirmed(t.samples.report(ripe(all).length, ripe(all).length),
            t.samples.reportWhat, ripe(all),
            (sample) => answer(api.POST('/samples/{id}/report', path(sample))),
            t.samples.reported),
    },
    {
        id: 'sample.receive',
        title: (all) => t.samples.receive(waits(all).length || all.length),
        permission: 'sample.receive',
        step: true,
        keys: 'r',
        visible: (all) => waits(all).length > 0,
        perform: (all) => receive(waits(all)),
    },
    completeAction,
    {
        id: 'certificate.issue',
        title: (all) => t.samples.certificate(reported(all).length),
        permission: 'certificate.issue',
        step: true,
        visible: (all) => reported(all).length > 0,
        perform: (all) => confirmed(t.samples.certificate(reported(all).length), undefined,
            reported(all), (sample) => answer(api.POST('/certificates', {
                body: { sampleId: sample.id },
            })), t.samples.certified),
    },
    {
        id: 'sample.edit',
        title: () => t.sample.edit,
        permission: 'sample.edit',
        rare: true,
        keys: 'e',
        visible: (all) => all.length === 1 && all.every(isOpen),
        perform: ([one]) => one && navigate(paths.sample(one.id, 'edit')),
    },
    {
        id: 'sample.assign',
        title: (all) => t.samples.assign(worksOn(all).length),
        permission: 'result.enter',
        visible: (all) => worksOn(all).length > 0,
        perform: (all) => assign(worksOn(all)),
    },
    {
        id: 'sample.hold',
        title: (all) => t.samples.hold(inState(all, 'active').length),
        permission: 'sample.edit',
        visible: (all) => inState(all, 'active').length > 0,
        perform: (all) => dispose(inState(all, 'active'), 'on_hold',
            t.samples.hold(inState(all, 'active').length), t.samples.held),
    },
    {
        id: 'sample.resume',
        title: (all) => t.samples.resume(resumable(all).length),
        visible: (all) => resumable(all).length > 0,
        perform: (all) => {
            const some = resumable(all);
            dispose(some, 'active', t.samples.resume(some.length), t.samples.resumed);
        },
    },
    ...statusActions,
    labelAction<Sample>('sample', name),
    {
        id: 'sample.cancel',
        title: (all) => t.samples.cancelAct(inState(all, 'active', 'on_hold').length),
        permission: 'sample.cancel',
        rare: true,
        visible: (all) => inState(all, 'active', 'on_hold').length > 0,
        perform: (all) => {
            const some = inState(all, 'active', 'on_hold');
            dispose(some, 'cancelled', t.samples.cancelAct(some.length), t.samples.cancelled);
        },
    },
    {
        id: 'sample.reject',
        title: (all) => t.samples.reject(inState(all, 'active', 'on_hold').length),
        permission: 'sample.cancel',
        rare: true,
        visible: (all) => inState(all, 'active', 'on_hold').length > 0,
        perform: (all) => {
            const some = inState(all, 'active', 'on_hold');
            dispose(some, 'rejected', t.samples.reject(some.length), t.samples.rejected);
        },
    },
    {
        id: 'sample.dispose',
        title: (all) => t.samples.dispose(ended(all).length),
        permission: 'sample.edit',
        rare: true,
        visible: (all) => ended(all).length > 0,
        perform: (all) => dispose(ended(all), 'disposed', t.samples.dispose(ended(all).length),
            t.samples.disposed, t.samples.disposeWhat),
    },
    receiptAction,
    {
        id: 'sample.unreceive',
        title: (all) => t.samples.unreceive(receivedToday(all).length),
        permission: 'sample.receive',
        rare: true,
        visible: (all) => receivedToday(all).length > 0,
        perform: (all) => unreceive(receivedToday(all)),
    },
    investigating<Sample[]>('sample.investigate', ([sample, ...more]) =>
        sample && more.length === 0 ? {
            of: sample.trackingId, kind: 'deviation', title: sample.trackingId, sampleId: sample.id,
        } : undefined),
];

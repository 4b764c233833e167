// SPDX-License-Identifier: Apache-2.0
//
// Actions that move the status of samples: completing them, which asks for the approvals, once
// more after a rejection, and every other move, also back.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import { may, session } from '../api/session.ts';
import { hasAllResults, isOpen } from '../nouns/sample.ts';
import type { Sample } from '../nouns/sample.ts';
import { say } from '../parts/toast.tsx';
import { capital } from '../texts/capital.ts';
import { t } from '../texts/texts.ts';

const name = (sample: Sample): string => sample.trackingId;

// Statuses in the order of the work, each with the permission that it needs.
const permissions = {
    pending: 'result.verify', received: 'sample.receive', processing: 'result.enter',
    completed: 'result.enter', verified: 'result.verify',
} as const;

type Settable = keyof typeof permissions;

const statuses = Object.keys(permissions) as Settable[];

export const statusChanged = (): Promise<void> => changed('/samples', '/samples/counts', '/samples/{id}',
    '/samples/{id}/readiness', '/samples/{id}/approvals', '/samples/{id}/history',
    '/approval-records');

const move = (sample: Sample, status: Settable, reason?: string): Promise<unknown> =>
    answer(api.PATCH('/samples/{id}/status', {
        params: { path: { id: sample.id } },
        body: { status, ...(reason ? { reason } : {}) },
    }));

// Samples whose approvals are asked for by completing them. One that can be reported already waits
// for none, unless a report goes before its approval here.
const toComplete = (samples: Sample[]): Sample[] => samples.filter((sample) => isOpen(sample)
    && (sample.status === 'received' || sample.status === 'processing')
    && hasAllResults(sample)
    && (sample.releaseState !== 'ready_to_report'
        || session()?.policies.coaBeforeApproval === true));

const rejected = (samples: Sample[]): Sample[] => samples.filter((sample) => isOpen(sample)
    && (sample.status === 'completed' || sample.status === 'verified')
    && sample.flags?.includes('approval_rejected'));

const complete = (samples: Sample[]): void => ask({
    kind: 'confirm',
    title: t.samples.complete(samples.length),
    lines: samples.map(name),
    perform: async () => {
        await each(samples, name, (sample) => move(sample, 'completed'), t.samples.completed);
        await statusChanged();
    },
});

// A step back, and to where it was: that asks for a new round of approvals.
const completeAgain = (samples: Sample[]): void => ask({
    kind: 'reason',
    title: t.samples.completeAgain(samples.length),
    explanation: t.samples.completeAgainWhat,
    lines: samples.map(name),
    reason: 'must',
    perform: async ({ reason }) => {
        try {
            await each(samples, name, async (sample) => {
                await move(sample, 'processing', reason);
                await move(sample, sample.status === 'verified' ? 'verified' : 'completed', reason);
            }, t.samples.completedAgain);
        } finally {
            await statusChanged();
        }
    },
});

// Statuses that the person may set: a step back undoes what others rely on, and needs
// result.verify besides.
export const settable = ({ status }: Sample): Settable[] => statuses.filter((to, i) =>
    to !== status && may(permissions[to])
    && (i > statuses.findIndex((one) => one === status) || may('result.verify')));

const setStatus = (sample: Sample): void => ask({
    kind: 'reason',
    title: t.samples.setStatus,
    note: `${sample.trackingId}, ${t.samples.status[sample.status]}`,
    explanation: t.samples.setStatusWhat,
    choices: {
        label: t.samples.setStatusTo, one: true,
        values: settable(sample)
            .map((to) => ({ id: to, title: capital(t.samples.status[to]) })),
    },
    reason: 'may',
    perform: async ({ chosen, reason }) => {
        const to = statuses.find((one) => one === chosen[0]);
        if (to) {
            await move(sample, to, reason);
            await statusChanged();
            say({ tone: 'ready', text: t.samples.statusSet(sample.trackingId, t.samples.status[to]) });
        }
    },
});

export const completeAction: Action<Sample[]> = {
    id: 'sample.complete',
    title: (all) => t.samples.complete(toComplete(all).length),
    permission: 'result.enter',
    step: true,
    visible: (all) => toComplete(all).length > 0,
    perform: (all) => complete(toComplete(all)),
};

export const statusActions: Action<Sample[]>[] = [
    {
        id: 'sample.complete-again',
        title: (all) => t.samples.completeAgain(rejected(all).length),
        permission: 'result.enter',
        visible: (all) => may('result.verify') && rejected(all).length > 0,
        perform: (all) => completeAgain(rejected(all)),
    },
    {
        id: 'sample.status',
        title: () => t.samples.setStatus,
        rare: true,
        visible: ([one, ...more]) => one !== undefined && more.length === 0
            && one.status !== 'reported' && isOpen(one) && settable(one).length > 0,
        perform: ([one]) => one && setStatus(one),
    },
];

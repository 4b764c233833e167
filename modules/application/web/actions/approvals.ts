// SPDX-License-Identifier: Apache-2.0
//
// Deciding approvals: one or many, by one password; what is signed is listed result by result.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { certifiedRows, signedContents } from '../acting/signed.ts';
import { answer, api } from '../api/client.ts';
import type { Read } from '../api/read.ts';
import { changed } from '../api/read.ts';
import { session } from '../api/session.ts';
import { say } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';
import { samplesChanged } from './samples.ts';

export type Task = Read<'/approval-records'>['data'][number];

type Decision = 'approved' | 'rejected';

const { approvals: words } = t.release;

export const nameOf = ({ sample, name }: Task): string => words.name(sample.trackingId, name);

export const approvalsChanged = (): Promise<unknown> =>
    Promise.all([changed('/approval-records', '/signed-contents'), samplesChanged()]);

async function decision(tasks: Task[], status: Decision): Promise<Question> {
    const contents = await signedContents('approval', tasks.map(({ id }) => id));
    const signed = session()?.policies.esignatureRequired ?? false;
    const approve = status === 'approved';

    return {
        kind: signed ? 'signature' : 'confirm',
        subject: status,
        title: approve ? words.approve(tasks.length) : words.reject(tasks.length),
        note: tasks.length === 1 ? tasks.map(nameOf).join('') : '',
        explanation: approve ? words.approveWhat : words.rejectWhat,
        rows: tasks.flatMap((task, i) =>
            certifiedRows(task.sample.trackingId, contents.get(task.id), i)),
        text: { label: approve ? words.comment : words.rejectComment, must: !approve },
        perform: async ({ password, text }) => {
            await answer(api.POST('/approval-records/decide', {
                body: Object.assign({
                    items: tasks.map(({ id }) => ({
                        id, status,
                        ...(text ? { comment: text } : {}),
                        contentHash: contents.get(id)?.contentHash ?? '',
                    })),
                    atomic: true,
                }, password ? { signature: { password } } : {}),
            }));
            await approvalsChanged();
            say({ tone: 'ready', text: (approve ? words.approved : words.rejected)(tasks.length) });
        },
        renew: () => decision(tasks, status),
        ...(tasks.length > 1 ? {
            without: (rows: ReadonlySet<number>) =>
                decision(tasks.filter((_, i) => !rows.has(i)), status),
        } : {}),
    };
}

const mine = (tasks: Task[]): Task[] => tasks.filter((task) => task.mine);

const refused = (tasks: Task[]): string | undefined =>
    mine(tasks).length ? undefined : words.notMine;

export const approvalActions: Action<Task[]>[] = [
    {
        id: 'approval.approve',
        title: (tasks) => words.approve(mine(tasks).length),
        permission: 'approval.decide',
        step: true,
        keys: 'V',
        visible: (tasks) => tasks.length > 0,
        refused,
        perform: async (tasks) => ask(await decision(mine(tasks), 'approved')),
    },
    {
        id: 'approval.reject',
        title: (tasks) => words.reject(mine(tasks).length),
        permission: 'approval.decide',
        keys: 'b',
        visible: (tasks) => tasks.length > 0,
        refused,
        perform: async (tasks) => ask(await decision(mine(tasks), 'rejected')),
    },
];

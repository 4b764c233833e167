// SPDX-License-Identifier: Apache-2.0
//
// Actions on an investigation: going to the next phase, closing it, adding the actions that follow
// from it.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import type { Question } from '../acting/ask.ts';
import { answer, api } from '../api/client.ts';
import { personName } from '../api/people.ts';
import { changed, condition, readNow } from '../api/read.ts';
import { session } from '../api/session.ts';
import { aboutOf, isPlanned } from '../nouns/investigation.tsx';
import type { Investigation, Phase } from '../nouns/investigation.tsx';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { capital } from '../texts/capital.ts';
import { t } from '../texts/texts.ts';
import { when } from '../texts/time.ts';
import { samplesChanged } from './samples.ts';

const words = t.investigations;

export async function investigationsChanged(): Promise<void> {
    await Promise.all([changed('/investigations', '/investigations/{id}',
        '/investigations/{id}/history', '/signatures'), samplesChanged()]);
}

type Next = Exclude<Phase, 'opened'>;

const isNext = (status: string): status is Next => status in words.advanceWhat;

const ends = (status: Next): boolean => status === 'closed' || status === 'cancelled';

const headOf = ({ investigationNumber, title }: Investigation): string =>
    `${investigationNumber} ${title}`;

// Lines of what a signature of an investigation covers, with what is written so far.
async function linesOf(one: Investigation): Promise<string[]> {
    const { checks, hypotheses, retestPlan, rootCause, openedAt, openedBy, openedValue } = one;
    const opener = await personName(openedBy);
    const opened = when(openedAt, session()?.organization.timeZone ?? 'UTC');
    const members: [string, string | null][] = [
        [words.fact.kind, words.kind[one.kind]],
        [words.fact.about, aboutOf(one)],
        [words.fact.opened, [opened, opener && words.fact.by(opener)].filter(Boolean).join(' ')],
        [words.values.first, openedValue],
        [words.looked(checks.length, Object.keys(words.checks).length),
            checks.map((check) => words.checks[check] ?? check).join(', ')],
        [words.hypotheses, hypotheses],
        [words.retestPlan, retestPlan],
        [words.cause, rootCause],
    ];
    return [headOf(one),
        ...members.filter(([, text]) => text).map(([name, text]) => `${capital(name)}: ${text}`)];
}

// Closing is signed, and needs a conclusion: the one that is written, else it is asked for.
async function advance(one: Investigation, status: Next): Promise<Question> {
    const asks = ends(status) && one.conclusion === null;
    const of = { params: { path: { id: one.id } } };
    return {
        kind: ends(status) ? 'signature' : 'confirm',
        title: `${words.advance[status]} ${one.investigationNumber}`,
        note: one.title,
        explanation: words.advanceWhat[status],
        lines: [...(ends(status) ? await linesOf(one) : [headOf(one)]),
            ...(one.conclusion === null ? [] : [`${words.conclusion}: ${one.conclusion}`])],
        ...(asks ? { name: words.conclusion } : {}),
        perform: async ({ reason, password }) => {
            await answer(api.POST('/investigations/{id}/advance', { ...of, ...condition(one),
                body: Object.assign({ status }, asks && reason ? { conclusion: reason } : {},
                    password ? { signature: { password, contentHash: one.contentHash } } : {}),
            }));
            await investigationsChanged();
            say({ tone: 'ready',
                text: words.advanced(one.investigationNumber, words.status[status]) });
        },
        renew: async () => advance(await readNow('/investigations/{id}', of), status),
    };
}

const isOpen = ({ closedAt }: Investigation): boolean => closedAt === null;

const advancing = (status: Next): Action<Investigation> => ({
    id: `investigation.${status}`,
    title: () => words.advance[status],
    permission: ends(status) ? 'investigation.close' : 'investigation.work',
    step: status !== 'cancelled' && status !== 'capa_required',
    ...(status === 'cancelled' ? { rare: true } : {}),
    visible: ({ nextStatuses }) => nextStatuses.some((next) => isNext(next) && next === status),
    perform: async (one) => ask(await advance(one, status)),
});

// Approving the retest plan is always signed, whatever the laboratory signs otherwise.
async function approvingPlan(one: Investigation): Promise<Question> {
    const of = { params: { path: { id: one.id } } };
    return {
        kind: 'signature',
        title: words.plan.approveOf(one.investigationNumber),
        note: one.title,
        explanation: words.plan.approveWhat,
        lines: await linesOf(one),
        perform: async ({ password }) => {
            await answer(api.POST('/investigations/{id}/approve-retest-plan', { ...of,
                ...condition(one), body: { signature: { password: password ?? '',
                    contentHash: one.contentHash } } }));
            await investigationsChanged();
            say({ tone: 'ready', text: words.plan.done(one.investigationNumber) });
        },
        renew: async () => approvingPlan(await readNow('/investigations/{id}', of)),
    };
}

// Where nobody verifies their own results, nobody approves their own plan.
const isOwnPlan = ({ retestPlanBy }: Investigation): boolean =>
    session()?.policies.selfVerification === 'refused' && retestPlanBy === session()?.person.id;

const phases: Next[] = ['phase_1', 'phase_2', 'conclusion', 'closed', 'capa_required', 'cancelled'];

export const investigationActions: Action<Investigation>[] = [
    {
        id: 'investigation.approve-plan',
        title: () => words.plan.approve,
        permission: 'investigation.close',
        visible: (one) => isOpen(one) && isPlanned(one) && one.retestPlanApproved === null,
        refused: (one) => isOwnPlan(one) ? words.plan.own : undefined,
        perform: async (one) => ask(await approvingPlan(one)),
    },
    ...phases.map(advancing),
    {
        id: 'investigation.change',
        title: () => words.edit,
        permission: 'investigation.work',
        keys: 'e',
        visible: isOpen,
        perform: ({ id }) => navigate(paths.investigation(id, 'edit')),
    },
    {
        id: 'investigation.action',
        title: () => words.form.action,
        permission: 'investigation.work',
        keys: 'a',
        visible: isOpen,
        perform: ({ id }) => navigate(paths.investigation(id, 'action')),
    },
    {
        id: 'investigation.follow',
        title: () => words.follow,
        permission: 'investigation.work',
        rare: true,
        perform: ({ id, investigationNumber, title }) => navigate(paths.newInvestigation({
            of: investigationNumber, kind: 'capa', title, parentId: id })),
    },
];

export const investigationListActions: Action<Investigation[]>[] = [{
    id: 'investigation.create',
    title: () => words.form.create,
    permission: 'investigation.work',
    step: true,
    keys: 'n',
    perform: () => navigate(paths.newInvestigation()),
}];

type Act = Investigation['actions'][number];

// Asks whether an action is done, or is not; `doneAt` is read at the confirmation.
const askDone = (one: Investigation, act: Act, title: string, said: string,
    doneAt: () => string | null): void => ask({
    kind: 'confirm',
    title,
    note: one.investigationNumber,
    lines: [act.text],
    perform: async () => {
        await answer(api.PATCH('/investigations/{id}/actions/{actionId}', {
            params: { path: { id: one.id, actionId: act.id } },
            body: { doneAt: doneAt() },
        }));
        await investigationsChanged();
        say({ tone: 'ready', text: said });
    },
});

export const finish = (one: Investigation, act: Act): void => askDone(one, act,
    words.actions.finish(act.text), words.actions.finished, () => new Date().toISOString());

// An action that was said to be done by mistake is open again.
export const unfinish = (one: Investigation, act: Act): void => askDone(one, act,
    words.actions.unfinish(act.text), words.actions.unfinished, () => null);

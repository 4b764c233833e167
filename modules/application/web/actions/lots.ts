// SPDX-License-Identifier: Apache-2.0
//
// Actions on lots: opening, quarantining, releasing.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import { session } from '../api/session.ts';
import { isMedia, kindOf, reachOf } from '../nouns/lot.ts';
import type { Lot, Use } from '../nouns/lot.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import type { LotKind } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { investigating } from './investigating.ts';
import { labelAction } from './labels.tsx';

export const lotsChanged = (): Promise<void> => changed('/reagent-lots', '/media-lots',
    '/reagent-lots/{id}', '/media-lots/{id}', '/reagent-lots/{id}/history',
    '/media-lots/{id}/history');

const most = 500;

// Explanations of a quarantine, by the laboratory's policy on lots.
const policies: Record<string, string> = t.lots.policy;

const at = ({ id }: Lot) => ({ params: { path: { id } } });

async function usesOf(lot: Lot): Promise<{ data: Use[]; hasMore: boolean }> {
    const asked = { params: { path: { id: lot.id }, query: { limit: most } } };
    return isMedia(lot) ? answer(api.GET('/media-lots/{id}/recall', asked))
        : answer(api.GET('/reagent-lots/{id}/recall', asked));
}

const open = (lots: Lot[]): void => ask({
    kind: 'confirm',
    title: t.lots.open(lots.length),
    explanation: t.lots.openWhat,
    lines: lots.map(({ code }) => code),
    perform: async () => {
        await each(lots, ({ code }) => code, (lot) => isMedia(lot)
            ? answer(api.POST('/media-lots/{id}/open', { ...at(lot), body: {} }))
            : answer(api.POST('/reagent-lots/{id}/open', { ...at(lot), body: {} })), t.lots.opened);
        await lotsChanged();
    },
});

// Shows the effect before the quarantine: which results were made with the lot, and which
// certificates went out.
async function quarantine(lot: Lot): Promise<void> {
    const { data, hasMore } = await usesOf(lot);
    const { tests, samples, certificates } = reachOf(data);
    const policy = policies[session()?.policies.lotQcPolicy ?? 'off'] ?? '';
    const lines = data.map((use) => t.lots.line(use.trackingId, use.testCode, t.lots.recall.statuses[use.status],
        use.certificateNumber ?? ''));
    ask({
        kind: 'reason',
        title: t.lots.quarantine(lot.code),
        note: lot.name,
        explanation: policy,
        lines: tests ? [...new Set(lines)] : [t.lots.reachNone],
        warnings: tests ? [t.lots.reach(tests, samples),
            ...(certificates ? [t.lots.certified(certificates)] : []),
            ...(hasMore ? [t.lots.reachMore] : [])] : [],
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await (isMedia(lot)
                ? answer(api.POST('/media-lots/{id}/quarantine', { ...at(lot), body: { reason } }))
                : answer(api.POST('/reagent-lots/{id}/quarantine', { ...at(lot), body: { reason } })));
            await lotsChanged();
            say({ tone: 'ready', text: t.lots.quarantined(lot.code) });
        },
    });
}

const release = (lot: Lot): void => ask({
    kind: 'reason',
    title: t.lots.release(lot.code),
    note: lot.name,
    lines: [`${lot.code} ${lot.lotNumber}`, ...(lot.quarantineReason ? [lot.quarantineReason] : [])],
    reason: 'must',
    perform: async ({ reason = '' }) => {
        await (isMedia(lot)
            ? answer(api.POST('/media-lots/{id}/release', { ...at(lot), body: { reason } }))
            : answer(api.POST('/reagent-lots/{id}/release', { ...at(lot), body: { reason } })));
        await lotsChanged();
        say({ tone: 'ready', text: t.lots.released(lot.code) });
    },
});

// Makes an action of one lot; with several selected it says that one has to be chosen.
const ofOne = (act: (lot: Lot) => void | Promise<void>): Pick<Action<Lot[]>, 'refused' | 'perform'> => ({
    refused: (lots) => lots.length === 1 ? undefined : t.lots.one,
    perform: ([lot]) => lot && act(lot),
});

const unopened = (lots: Lot[]): Lot[] =>
    lots.filter(({ openedOn, openedAt }) => openedOn === null && openedAt === null);

const nameOf = ([lot, ...more]: Lot[]): string =>
    lot && more.length === 0 ? lot.code : t.lots.of(more.length + 1);

const setAside = ({ qcStatus }: Lot): boolean => qcStatus === 'quarantined';

const concernOf = (lot: Lot) => ({
    of: lot.code, title: `${lot.code} ${lot.lotNumber}`,
    ...(isMedia(lot) ? { kind: 'media_failure' as const, mediaLotId: lot.id }
        : { kind: 'deviation' as const, reagentLotId: lot.id }),
});

export const lotActions: Action<Lot[]>[] = [
    {
        id: 'lot.test',
        title: () => t.lots.form.test,
        permission: 'lot.manage',
        keys: 't',
        visible: ([lot, ...more]) => lot !== undefined && more.length === 0 && isMedia(lot),
        perform: ([lot]) => lot && navigate(paths.lot('media', lot.id, 'test')),
    },
    {
        id: 'lot.change',
        title: () => t.lots.edit,
        permission: 'lot.manage',
        keys: 'e',
        visible: (lots) => lots.length === 1,
        perform: ([lot]) => lot && navigate(paths.lot(kindOf(lot), lot.id, 'edit')),
    },
    {
        id: 'lot.open',
        title: (lots) => t.lots.open(unopened(lots).length),
        permission: 'lot.manage',
        keys: 'o',
        visible: (lots) => unopened(lots).length > 0,
        perform: (lots) => open(unopened(lots)),
    },
    {
        id: 'lot.quarantine',
        title: (lots) => t.lots.quarantine(nameOf(lots)),
        permission: 'lot.manage',
        visible: (lots) => lots.length > 0 && !lots.every(setAside),
        ...ofOne(quarantine),
    },
    {
        id: 'lot.release',
        title: (lots) => t.lots.release(nameOf(lots)),
        permission: 'lot.release',
        visible: (lots) => lots.some((lot) => setAside(lot)
            || lot.qcStatus === 'failed' && !isMedia(lot)),
        ...ofOne(release),
    },
    investigating<Lot[]>('lot.investigate', ([lot, ...more]) =>
        lot && more.length === 0 ? concernOf(lot) : undefined),
    // A list has lots of one kind.
    ...(['reagent', 'media'] as const).map((kind) => ({
        ...labelAction<Lot>(`${kind}-lot`, ({ code }) => code),
        visible: ([lot]: Lot[]) => lot !== undefined && kindOf(lot) === kind,
    })),
];

// Actions of a list, which also offers to receive a lot.
export const lotListActions = (kind: LotKind): Action<Lot[]>[] => [
    {
        id: 'lot.receive',
        title: () => t.lots.form.create[kind],
        permission: 'lot.manage',
        step: true,
        keys: 'n',
        perform: () => navigate(paths.newLot(kind)),
    },
    ...lotActions,
];

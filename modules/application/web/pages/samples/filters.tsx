// SPDX-License-Identifier: Apache-2.0
//
// Filters of samples: chips, and toggles by readiness with their counts; the list as CSV.
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import type { Names } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { askedOf } from '../../table/filter.ts';
import type { Filter, Filters } from '../../table/filter.ts';
import { FilterBar, show } from '../../table/filters.tsx';
import { t } from '../../texts/texts.ts';
import { glyphOf } from './columns.tsx';
import type { Sample } from './columns.tsx';
import { anyDisposition, useCounts } from './counts.ts';

const { filter: titles } = t.samples;

// Without a disposition what is worked on is asked for; cancelled and rejected samples by theirs.
export const withUsual = (filters: Filters): Filters =>
    ({ disposition: 'active,on_hold', ...filters });

const words = (of: Record<string, string>): [string, string][] => Object.entries(of);

const named = (of: Names[keyof Names]): [string, string][] =>
    [...of.values()].map(({ id, name }) => [String(id), name]);

async function orderCalled(orderNumber: string): Promise<Filters | undefined> {
    try {
        const { data: [found] } = await answer(
            api.GET('/orders', { params: { query: { orderNumber } } }));
        if (found) {
            return { orderId: String(found.id) };
        }
        say({ tone: 'attention', text: titles.noOrder(orderNumber) });
    } catch (error) {
        tell(error);
    }
    return undefined;
}

// The number of the order whose samples are shown.
export function useOrderNumber(id: string | null): string {
    const order = useRead('/orders/{id}', { params: { path: { id: Number(id) } } },
        { enabled: id !== null });
    return order.data?.orderNumber ?? '';
}

export const knownFilters = (
    { projects, materials }: Names, orderNumber: string,
): Filter[] => [
    { name: 'q', title: titles.q, least: 3 },
    { name: 'status', title: titles.status, choices: words(t.samples.status), several: true },
    { name: 'releaseState', title: titles.releaseState, choices: words(t.samples.releaseState) },
    { name: 'holdingStatus', title: titles.holdingStatus, choices: words(t.samples.holding) },
    { name: 'priority', title: titles.priority, choices: words(t.samples.priority) },
    { name: 'disposition', title: titles.disposition, choices: [
        ...words(t.samples.disposition), [anyDisposition, titles.anyDisposition]] },
    { name: 'projectId', title: titles.projectId, choices: named(projects) },
    { name: 'materialTypeId', title: titles.materialTypeId, choices: named(materials) },
    { name: 'registeredSince', title: titles.registeredSince, day: 'begin' },
    { name: 'since', title: titles.since, day: 'begin' },
    { name: 'dueBefore', title: titles.dueBefore, day: true },
    { name: 'clientId', title: titles.clientId, records: '/clients' },
    { name: 'orderId', title: titles.orderId, find: orderCalled, shown: () => orderNumber },
];

const states: Sample['releaseState'][] = ['blocked', 'in_progress', 'ready_for_review',
    'ready_to_report', 'reported'];

function States({ filters, known }: { filters: Filters; known: Filter[] }): ReactElement {
    const { organization: { timeZone } } = useSession();
    const { releaseState: chosen, ...rest } = filters;
    const counts = useCounts(askedOf(withUsual(rest), known, timeZone));
    const choose = (state?: string) => () =>
        show(paths.samples(), state ? { ...rest, releaseState: state } : rest);

    return (
        <div className="filters">
            <div className="states" role="group" aria-label={t.samples.states}>
                <button type="button" aria-pressed={chosen === undefined} onClick={choose()}>
                    {t.samples.all}{counts['all'] ? <b>{counts['all']}</b> : null}
                </button>
                {states.map((state) => (
                    <button key={state} type="button" aria-pressed={chosen === state}
                        onClick={choose(state)}>
                        <Glyph name={glyphOf(state)} tone={glyphOf(state)} />
                        {t.samples.releaseState[state]}
                        {counts[state] ? <b>{counts[state]}</b> : null}
                    </button>
                ))}
            </div>
        </div>
    );
}

export function SampleFilters({ filters, known }: {
    filters: Filters; known: Filter[];
}): ReactElement {
    return (
        <>
            <States filters={filters} known={known} />
            <FilterBar known={known} views="samples" csv="/samples" asked={withUsual} />
        </>
    );
}

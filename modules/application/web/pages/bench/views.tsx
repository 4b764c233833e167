// SPDX-License-Identifier: Apache-2.0
//
// The views of a run, which the address names: samples as rows, samples as columns, a row for
// each test; and the run as the sequence of its instrument.
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';

import { type Ready, useActions } from '../../acting/action.ts';
import type { Desk } from '../../grid/desk.ts';
import type { Order } from '../../grid/sheet.ts';
import { MenuButton } from '../../parts/menu.tsx';
import { navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const { views } = t.bench;

const orders: readonly Order[] = ['rows', 'columns', 'list'];

// Every column is drawn, also out of sight.
const WIDEST = 400;

// The most tests whose sequence the service makes.
export const LONGEST = 500;

function orderIn(search: URLSearchParams, samples: number): Order {
    const order = orders.find((one) => one === search.get('view')) ?? 'rows';
    return order === 'columns' && samples > WIDEST ? 'rows' : order;
}

function show(pathname: string, order: Order): void {
    navigate(order === 'rows' ? pathname : `${pathname}?view=${order}`, { replace: true });
}

// Lays the desk out as the address says, and offers the other views.
export function Views({ desk, samples, sequence }: {
    desk: Desk; samples: number; sequence: string | null;
}): ReactElement {
    const { pathname, searchParams } = useAddress();
    const order = orderIn(searchParams, samples);
    const items = useMemo(() => orders.map((one) => ({
        id: `bench.view.${one}`,
        title: views[one],
        keys: undefined,
        chosen: one === order,
        refused: one === 'columns' && samples > WIDEST ? views.tooMany(WIDEST) : undefined,
        run: () => show(pathname, one),
    })), [order, samples, pathname]);
    const actions = useMemo<Ready[]>(() => {
        const usable = items.filter(({ refused }) => refused === undefined);
        const next = usable[(usable.findIndex(({ chosen }) => chosen) + 1) % usable.length];
        return [...usable, ...next ? [{ ...next, id: 'bench.view.next', title: views.next,
            keys: 'F7' }] : []];
    }, [items]);

    useActions(actions);
    useEffect(() => desk.arrange(order), [desk, order]);
    return (
        <MenuButton label={views.label} items={[...items, { id: 'bench.sequence',
            title: views.sequence, ...sequence === null
                ? { refused: views.tooLong(LONGEST) } : { file: sequence } }]}>
            {views.label}
        </MenuButton>
    );
}

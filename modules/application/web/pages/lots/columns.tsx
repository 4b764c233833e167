// SPDX-License-Identifier: Apache-2.0
//
// The columns of the lists of lots: until when a lot may be used, and whether it may.
import type { ReactElement } from 'react';

import { useSession } from '../../api/session.ts';
import { glyphs, isMedia } from '../../nouns/lot.ts';
import type { Lot } from '../../nouns/lot.ts';
import { Status } from '../../parts/status.tsx';
import type { LotKind } from '../../paths.ts';
import type { Column } from '../../table/list-table.tsx';
import { dayIn } from '../../texts/local-time.ts';
import { t } from '../../texts/texts.ts';
import { dayOf } from '../../texts/time.ts';

const { columns: titles } = t.lots;

const soon = 30 * 24 * 3600_000;

// Days are compared with the laboratory's own. `alone`: not in a column of such.
export function Usable({ lot, alone }: { lot: Lot; alone?: boolean }): ReactElement | null {
    const { organization } = useSession();
    const today = dayIn(organization.timeZone, Date.now());
    const end = lot.usableUntil;
    if (end === null) {
        return <span className="quiet">{t.lots.noEnd}</span>;
    }
    if (end < today) {
        return <Status glyph="clock" tone="overdue">{t.lots.endedOn(dayOf(end))}</Status>;
    }
    if (new Date(end).getTime() - new Date(today).getTime() <= soon) {
        return <Status glyph="clock" tone="expiring">{dayOf(end)}</Status>;
    }
    return alone ? <>{dayOf(end)}</> : <Status>{dayOf(end)}</Status>;
}

export function Qc({ status }: { status: Lot['qcStatus'] }): ReactElement {
    return <Status glyph={glyphs[status]} tone={glyphs[status]}>{t.lots.status[status]}</Status>;
}

const head: Column<Lot>[] = [
    { key: 'code', title: titles.code, className: 'w-id stay', cellClass: 'id', heads: true,
        sorted: true, cell: ({ code }) => code },
    { key: 'lot', title: titles.lot, className: 'w-name', cellClass: 'id',
        cell: ({ lotNumber }) => lotNumber },
    { key: 'name', title: titles.name, cell: ({ name }) => name, hint: ({ name }) => name },
    { key: 'supplier', title: titles.supplier, className: 'w-who p4',
        cell: ({ supplier }) => supplier },
    { key: 'opened', title: titles.opened, className: 'w-name roomy',
        cell: ({ openedOn }) => openedOn ? dayOf(openedOn) : null },
    { key: 'usable', title: titles.usable, className: 'w-state',
        cell: (lot) => <Usable lot={lot} /> },
];

const tail: Column<Lot>[] = [
    { key: 'qc', title: titles.qc, className: 'w-name', cell: ({ qcStatus }) =>
        <Qc status={qcStatus} /> },
    { key: 'used', title: titles.used, className: 'w-short right',
        cell: ({ usedBy }) => usedBy ? t.lots.used(usedBy) : null },
];

const ofMedia: Column<Lot>[] = [
    { key: 'growth', title: titles.growth, className: 'w-due p3', cell: (lot) => isMedia(lot)
        ? <Qc status={lot.growthPromotionStatus} /> : null },
    { key: 'sterility', title: titles.sterility, className: 'w-due p3', cell: (lot) => isMedia(lot)
        ? <Qc status={lot.sterilityStatus} /> : null },
];

export const columnsOf: Record<LotKind, Column<Lot>[]> = {
    reagent: [...head, ...tail],
    media: [...head, ...ofMedia, ...tail],
};

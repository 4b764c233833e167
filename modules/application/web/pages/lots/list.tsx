// SPDX-License-Identifier: Apache-2.0
//
// The lists of reagent and of media lots (S15).
import type { ReactElement } from 'react';

import { lotListActions } from '../../actions/lots.ts';
import { useRead } from '../../api/read.ts';
import { RecordForm } from '../../form/form.tsx';
import { kindOf } from '../../nouns/lot.ts';
import type { Lot } from '../../nouns/lot.ts';
import { paths } from '../../paths.ts';
import type { LotKind } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { filtersIn } from '../../table/filter.ts';
import type { Filter } from '../../table/filter.ts';
import { FilterBar } from '../../table/filters.tsx';
import { ListPage } from '../../table/list-page.tsx';
import { Views } from '../../table/views.tsx';
import { t } from '../../texts/texts.ts';
import { columnsOf } from './columns.tsx';
import { lotForms } from './forms.ts';

const known: Filter[] = [
    { name: 'qcStatus', title: t.lots.filter.qcStatus, choices: Object.entries(t.lots.status) },
    { name: 'code', title: t.lots.filter.code },
];

const none: Lot[] = [];

function Kinds({ kind }: { kind: LotKind }): ReactElement {
    return (
        <div className="states" role="group" aria-label={t.lots.kinds}>
            {(['reagent', 'media'] as const).map((one) => (
                <button key={one} type="button" aria-pressed={one === kind}
                    onClick={() => navigate(paths.lots(one))}>
                    {t.lots.kind[one]}
                </button>
            ))}
        </div>
    );
}

function useLots(kind: LotKind, query: object) {
    const asked = { params: { query: { order: '-id' as const, limit: 50, ...query } } };
    const reagents = useRead('/reagent-lots', asked, { live: 30, enabled: kind === 'reagent' });
    const media = useRead('/media-lots', asked, { live: 30, enabled: kind === 'media' });
    return kind === 'media' ? media : reagents;
}

const actions = { reagent: lotListActions('reagent'), media: lotListActions('media') };

export function LotList({ kind, receiving }: {
    kind: LotKind; receiving?: boolean;
}): ReactElement {
    const { searchParams } = useAddress();
    const filters = filtersIn(searchParams, known);
    const cursor = searchParams.get('cursor');
    const found = useLots(kind, { ...filters, ...(cursor ? { cursor: Number(cursor) } : {}) });
    const rows: Lot[] = found.data?.data ?? none;

    return (
        <ListPage<Lot> title={t.lots.titles[kind]} label={t.lots.titles[kind]}
            columns={columnsOf[kind]} found={found} rows={rows} nameOf={({ code }) => code}
            addressOf={(lot) => paths.lot(kindOf(lot), lot.id)} actions={actions[kind]}
            none={t.lots.none} noneWhat={t.lots.noneWhat}
            filtered={Object.keys(filters).length > 0} list={`/${kind}-lots`}
            head={<>
                <Views page={`${kind}-lots`} path={paths.lots(kind)} /><Kinds kind={kind} />
            </>}
            filters={<FilterBar known={known} views={`${kind}-lots`} csv={`/${kind}-lots`} />}>
            {receiving ? <RecordForm definition={lotForms[kind]} id={null}
                close={() => navigate(paths.lots(kind))} /> : null}
        </ListPage>
    );
}

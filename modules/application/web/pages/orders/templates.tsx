// SPDX-License-Identifier: Apache-2.0
//
// Earlier orders as templates, the last ones of the client, or of all before a client is said:
// one sets client, project, contact, material and tests.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { useStore } from '../../grid/use-store.ts';
import { Button } from '../../parts/button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { beginLike, formLike } from './like.ts';
import type { OrderDesk } from './order-desk.ts';
import { type References, called } from './references.ts';
import type { ReadReferences } from './use-references.ts';

const texts = t.orders;

const SHOWN = 3;

function take(desk: OrderDesk, references: References, id: number): void {
    answer(api.GET('/orders/{id}', { params: { path: { id } } }))
        .then((order) => beginLike(desk, formLike(order, references))).catch(tell);
}

// The address may name an order to begin like: that is done once, when the names are known.
export function useTemplate(desk: OrderDesk, references: ReadReferences): void {
    const like = useAddress().searchParams.get('like');
    const { whole } = references;

    useEffect(() => {
        if (like && whole) {
            take(desk, references, Number(like));
            navigate(paths.newOrder(), { replace: true });
        }
    }, [desk, like, whole]);
}

export function Templates({ desk, references }: {
    desk: OrderDesk; references: ReadReferences;
}): ReactElement | null {
    const { client } = useStore(desk.form);
    const [found] = called(references.clients, client);
    const ofAll = client.trim() === '';
    const read = useRead('/orders', { params: { query: {
        ...found ? { clientId: found.id } : {}, order: '-id', limit: SHOWN } } },
    { enabled: ofAll || found !== undefined });
    const orders = read.data?.data.filter(({ clientId }) => ofAll || clientId === found?.id);
    const nameOfClient = (clientId: number): string =>
        references.clients.find(({ id }) => id === clientId)?.name ?? '';

    if (!references.whole || !orders?.length) {
        return null;
    }
    return (
        <div className="banner" role="group" aria-label={texts.templates}>
            <span className="quiet">{texts.templates}</span>
            {orders.map(({ id, orderNumber, clientId, createdAt, sampleCount }) => (
                <Button key={id} kind="row" onPress={() => take(desk, references, id)}>
                    <span className="id">{orderNumber}</span>
                    <span className="quiet">{ofAll ? `${nameOfClient(clientId)}, ` : ''}
                        <Moment at={createdAt} day />, {texts.rows(sampleCount)}</span>
                </Button>
            ))}
        </div>
    );
}

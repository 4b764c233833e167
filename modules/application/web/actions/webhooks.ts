// SPDX-License-Identifier: Apache-2.0
//
// Actions on webhook endpoints and their deliveries.
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { reveal } from '../form/revealed.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

export type Endpoint = Read<'/webhook-endpoints'>['data'][number];
export type Delivery = Read<'/webhook-deliveries'>['data'][number];

const words = t.webhooks;
const path = ({ id }: { id: number }) => ({ params: { path: { id } } });

export const webhooksChanged = (): Promise<void> => changed('/webhook-endpoints',
    '/webhook-endpoints/{id}', '/webhook-deliveries', '/webhook-deliveries/{id}',
    '/webhook-recoveries');

export function showSecret(name: string, secret: unknown): void {
    if (typeof secret === 'string') {
        reveal({ title: words.secretTitle(name), note: words.secretWhat, secret });
    }
}

// Says how many deliveries are waiting before they are sent.
async function enable(endpoint: Endpoint): Promise<void> {
    const waiting = await answer(api.GET('/webhook-deliveries', { params: { query: {
        endpointId: endpoint.id, state: 'pending', limit: 500,
    } } }));
    ask({
        kind: 'reason',
        title: words.enable(endpoint.name),
        explanation: words.enableWhat(words.waiting(waiting.data.length, waiting.hasMore)),
        reason: 'may',
        perform: async ({ reason }) => {
            await answer(api.POST('/webhook-endpoints/{id}/enable', {
                ...path(endpoint), body: reason ? { reason } : {},
            }));
            await webhooksChanged();
            say({ tone: 'ready', text: words.enabledNow(endpoint.name) });
        },
    });
}

function disable(endpoint: Endpoint): void {
    ask({
        kind: 'reason',
        title: words.disable(endpoint.name),
        explanation: words.disableWhat,
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await answer(api.POST('/webhook-endpoints/{id}/disable', {
                ...path(endpoint), body: { reason },
            }));
            await webhooksChanged();
            say({ tone: 'ready', text: words.disabledNow(endpoint.name) });
        },
    });
}

function remove(endpoint: Endpoint): void {
    ask({
        kind: 'reason',
        title: words.remove(endpoint.name),
        explanation: words.removeWhat,
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await answer(api.DELETE('/webhook-endpoints/{id}', {
                ...path(endpoint), body: { reason },
            }));
            await webhooksChanged();
            say({ tone: 'ready', text: words.removed(endpoint.name) });
        },
    });
}

// Makes an action of the endpoint that has the cursor.
function one(
    id: string, title: (name: string) => string, perform: (endpoint: Endpoint) => void | Promise<void>,
    more: Partial<Action<Endpoint[]>> = {}, fits: (endpoint: Endpoint) => boolean = () => true,
): Action<Endpoint[]> {
    return {
        id: `webhook.${id}`,
        title: ([endpoint]) => title(endpoint?.name ?? ''),
        permission: 'webhook.manage',
        visible: (endpoints) => {
            const [endpoint] = endpoints;
            return endpoint !== undefined && endpoints.length === 1 && fits(endpoint);
        },
        perform: ([endpoint]) => endpoint && perform(endpoint),
        ...more,
    };
}

const panel = (act: string) => ({ id }: Endpoint): void => navigate(paths.webhooks(id, act));
const works = ({ enabled }: Endpoint): boolean => enabled;

export const webhookActions: Action<Endpoint[]>[] = [
    {
        id: 'webhook.create', title: () => words.create, permission: 'webhook.manage', step: true,
        keys: 'n', perform: () => navigate(paths.webhooks('new')),
    },
    one('enable', words.enable, enable, {}, (endpoint) => !works(endpoint)),
    one('test', words.test, panel('test'), { keys: 't' }, works),
    one('deliveries', () => words.toDeliveries,
        ({ id }) => navigate(paths.deliveries(`?endpointId=${id}`)), { keys: 'd' }),
    one('change', words.change, panel(''), { keys: 'e' }),
    one('rotate', words.rotate, panel('rotate'), { rare: true }),
    {
        id: 'webhook.signature', title: () => words.signature.title, permission: 'webhook.manage',
        rare: true, perform: () => navigate(paths.webhooks('signature')),
    },
    one('recover', words.recover, panel('recover'), { rare: true }),
    one('disable', words.disable, disable, { rare: true }, works),
    one('delete', words.remove, remove, { rare: true }),
];

export const deliveryActions: Action<Delivery[]>[] = [{
    id: 'webhook-delivery.redeliver',
    title: (all) => words.deliveries.redeliver(all.length),
    permission: 'webhook.manage',
    keys: 'r',
    visible: (all) => all.length > 0,
    perform: async (all) => {
        await each(all, ({ deliveryId }) => deliveryId, (delivery) => answer(api.POST(
            '/webhook-deliveries/{id}/redeliver', { ...path(delivery), body: {} })),
        words.deliveries.redelivered);
        await webhooksChanged();
    },
}];

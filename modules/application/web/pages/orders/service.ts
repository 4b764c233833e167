// SPDX-License-Identifier: Apache-2.0
//
// The way of an order to the service: checking, registering, and receiving what was registered.
import type { paths } from '#api';

import { samplesChanged } from '../../actions/samples.ts';
import { answer, api } from '../../api/client.ts';
import { Problem, asProblem } from '../../api/problem.ts';
import { changed } from '../../api/read.ts';
import { ownerOf } from '../../api/session.ts';
import { say } from '../../parts/toast.tsx';
import { t } from '../../texts/texts.ts';
import type { Answer, OrderPorts } from './order-desk.ts';
import type { Form, Reader, Reading } from './reading.ts';
import { Receipts } from './receipts.ts';
import type { Kept, Receipt, Received } from './receipts.ts';
import { readReferences } from './use-references.ts';

const texts = t.orders;

type Body = paths['/orders']['post']['requestBody']['content']['application/json'];

// A checked order may lack what a registered one must have: the service says so.
const bodyOf = ({ body }: Reading, dryRun: boolean): Body => ({ ...body, dryRun }) as Body;

async function orSay(send: () => Promise<Answer>): Promise<Answer> {
    try {
        return await send();
    } catch (error) {
        const problem = error instanceof Problem ? error : asProblem(error);
        return problem.passing ? { kind: 'unreachable' }
            : problem.mistakes.length > 0
                ? { kind: 'judged', mistakes: problem.mistakes, allowance: null }
                : { kind: 'refused', message: t.sentence(problem) };
    }
}

async function check(reading: Reading): Promise<Answer> {
    const { errors, allowance } = await answer(api.POST('/orders', {
        body: bodyOf(reading, true) }));
    return { kind: 'judged', mistakes: errors, allowance };
}

function receiptOf({ temperature, condition }: Form) {
    return {
        ...(temperature.trim() ? { temperature: Number(temperature) } : {}),
        ...(condition.trim() ? { condition: condition.trim() } : {}),
    };
}

const receiptOfAll = (reading: Reading, ids: number[], form: Form): Receipt => ({
    items: ids.map((sampleId, i) => {
        const containers = reading.containers[i] ?? null;
        return { sampleId, ...(containers === null ? {} : { containers }) };
    }),
    receipt: receiptOf(form),
});

export const receipts = new Receipts({
    key: () => crypto.randomUUID(),
    send: async (body, key) => {
        const { received, skipped } = await answer(api.POST('/samples/receive', {
            body, headers: { 'Idempotency-Key': key } }));
        return { count: received.length, skipped: skipped.map(({ message }) => message) };
    },
    say: (problem) => t.sentence(problem),
});

// Tells what was received, and why the rest was not.
function tellReceived(before: string, of: Received | string | null): void {
    const said = of === null ? '' : typeof of === 'string' ? texts.notReceived(of)
        : texts.andReceived(of.count);
    const skipped = of === null || typeof of === 'string' ? [] : of.skipped;
    say({ tone: typeof of === 'string' || skipped.length > 0 ? 'attention' : 'ready',
        text: `${before} ${said}`.trim(), details: [...skipped] });
}

export async function receiveAgain(one: Kept): Promise<void> {
    tellReceived('', await receipts.again(one));
    await Promise.all([changed('/orders', '/orders/{id}'), samplesChanged()]);
}

async function register(reading: Reading, key: string, receipt: Form | null): Promise<Answer> {
    const { order, samples } = await answer(api.POST('/orders', {
        body: bodyOf(reading, false), headers: { 'Idempotency-Key': key } }));
    if (!order) {
        throw new Error('an order was registered and not answered');
    }
    const ids = samples.flatMap(({ id }) => id ?? []);
    tellReceived(texts.registered(ids.length, order.orderNumber), receipt
        ? await receipts.receive(ownerOf(), order.id, receiptOfAll(reading, ids, receipt)) : null);
    await Promise.all([changed('/orders', '/organization'), samplesChanged()]);
    return { kind: 'registered', orderId: order.id };
}

export function portsOf(owner: string, reader: () => Reader): OrderPorts {
    const somebodyElse: Answer = { kind: 'refused', message: t.bench.somebodyElse };
    const own = (send: () => Promise<Answer>): Promise<Answer> =>
        ownerOf() === owner ? orSay(send) : Promise.resolve(somebodyElse);
    return {
        now: () => Date.now(),
        key: () => crypto.randomUUID(),
        reader,
        names: readReferences,
        check: (reading) => own(() => check(reading)),
        register: (reading, key, receipt) => own(() => register(reading, key, receipt)),
    };
}
